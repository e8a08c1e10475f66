import GeneratedPictures
import ImageContractTesting
import ImageCore
import Testing

@Suite("Pictures that our own code makes")
struct ValidPictureTests {
    @Test("each is decoded whole, in every way")
    func valid() throws {
        for picture in try GeneratedPicture.all() {
            let decoder = try #require(Decoders.decoder(of: picture.format))
            do {
                let work = try HostileInputExamination(decoder).examine(picture.data)
                #expect(work.completeDecodes > 0 && work.failedDecodes == 0, "\(picture): \(work)")
            } catch {
                Issue.record("\(picture): \(error)")
            }
        }
    }

    @Test("each is the same when it comes in in pieces", arguments: [[1], [13, 2, 100]])
    func incremental(lengths: [Int]) throws {
        for picture in try GeneratedPicture.all() {
            guard let decoder = Decoders.decoder(of: picture.format) as? any IncrementalImageDecoder else { continue }
            do {
                try IncrementalExamination(decoder).examine(picture.data, cutInto: lengths)
            } catch {
                Issue.record("\(picture): \(error)")
            }
        }
    }
}
