import GeneratedImages
import ImageContractTesting
import ImageCore
import Testing

@Suite("Generated images")
struct ValidImageTests {
    @Test("each image is decoded completely with all options")
    func valid() throws {
        for image in try GeneratedImage.all() {
            let decoder = try #require(Decoders.decoder(of: image.format))
            do {
                let work = try HostileInputCheck(decoder).check(image.data)
                #expect(work.completeDecodes > 0 && work.failedDecodes == 0, "\(image): \(work)")
            } catch {
                Issue.record("\(image): \(error)")
            }
        }
    }

    @Test("incremental decoding in chunks returns the same image", arguments: [[1], [13, 2, 100]])
    func incremental(lengths: [Int]) throws {
        for image in try GeneratedImage.all() {
            guard let decoder = Decoders.decoder(of: image.format) as? any IncrementalImageDecoder else { continue }
            do {
                try IncrementalDecodingCheck(decoder).check(image.data, splitInto: lengths)
            } catch {
                Issue.record("\(image): \(error)")
            }
        }
    }
}
