import GeneratedImages
import ImageContractTesting
import ImageCore
import Testing

@Suite("Images that our own code makes")
struct ValidImageTests {
    @Test("each is decoded whole, in every way")
    func valid() throws {
        for image in try GeneratedImage.all() {
            let decoder = try #require(Decoders.decoder(of: image.format))
            do {
                let work = try HostileInputCheck(decoder).examine(image.data)
                #expect(work.completeDecodes > 0 && work.failedDecodes == 0, "\(image): \(work)")
            } catch {
                Issue.record("\(image): \(error)")
            }
        }
    }

    @Test("each is the same when it comes in in pieces", arguments: [[1], [13, 2, 100]])
    func incremental(lengths: [Int]) throws {
        for image in try GeneratedImage.all() {
            guard let decoder = Decoders.decoder(of: image.format) as? any IncrementalImageDecoder else { continue }
            do {
                try IncrementalDecodingCheck(decoder).examine(image.data, cutInto: lengths)
            } catch {
                Issue.record("\(image): \(error)")
            }
        }
    }
}
