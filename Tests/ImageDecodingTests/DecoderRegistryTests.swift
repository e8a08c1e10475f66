import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("Decoder registry")
struct DecoderRegistryTests {
    @Test("a file in a known format without a decoder fails with the decoder to add")
    func namesTheMissingDecoder() throws {
        let avif = Data([0, 0, 0, 20]) + Data("ftypavif".utf8) + Data(count: 8)
        let failure = #expect(throws: DecodingFailure.self) { try DecoderRegistry([FakeDecoder()]).decoder(for: avif) }
        guard case .unsupported(.avif, let text) = try #require(failure) else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(text.contains("AVIFDecoder of ImageCodecAVIF"))
    }

    @Test("a file in no known format fails with unknownFormat")
    func unknownFormat() {
        #expect(throws: DecodingFailure.unknownFormat) {
            try DecoderRegistry([FakeDecoder()]).decoder(for: Data("%PDF-1.7".utf8))
        }
    }

    @Test("of two decoders that recognize a file, the first is used")
    func firstDecoder() throws {
        let decoders: [any ImageDecoder] = [
            CustomDecoder(format: ImageFormat(rawValue: "first")),
            CustomDecoder(format: ImageFormat(rawValue: "second")),
        ]
        #expect(try DecoderRegistry(decoders).decoder(for: Data("any".utf8)).format.rawValue == "first")
    }
}

/// Recognizes every file, and decodes none.
private struct CustomDecoder: ImageDecoder {
    let format: ImageFormat

    func recognizes(_ prefix: Data) -> Bool { true }

    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage { throw .unknownFormat }
}
