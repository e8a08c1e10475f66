import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageDecoding

@Suite("Choice of the decoder")
struct DecoderChoiceTests {
    @Test("a file in a known format without a decoder fails with the decoder to add")
    func namesTheMissingDecoder() throws {
        let avif = Data([0, 0, 0, 20]) + Data("ftypavif".utf8) + Data(count: 8)
        let failure = #expect(throws: DecodingFailure.self) {
            try [any ImageDecoder]([FakeDecoder()]).decoder(for: avif)
        }
        guard case .unsupported(.avif, let text) = try #require(failure) else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(text.contains("AVIFDecoder of ImageCodecAVIF"))
    }

    @Test("a file in no known format fails with unknownFormat")
    func unknownFormat() {
        #expect(throws: DecodingFailure.unknownFormat) {
            try [any ImageDecoder]([FakeDecoder()]).decoder(for: Data("%PDF-1.7".utf8))
        }
    }

    @Test("passes the first 128 bytes to a decoder, starting at index 0")
    func prefix() throws {
        let recorder = PrefixDecoder()
        let data = (Data([9, 9]) + Data(0..<200)).dropFirst(2)
        #expect(throws: DecodingFailure.unknownFormat) { try [any ImageDecoder]([recorder]).decoder(for: data) }
        #expect(recorder.prefixes == [Data(0..<128)])
        #expect(recorder.prefixes.map(\.startIndex) == [0])
    }

    @Test("of two decoders that recognize a file, the first is used")
    func firstDecoder() throws {
        let decoders: [any ImageDecoder] = [
            CustomDecoder(format: ImageFormat(rawValue: "first")),
            CustomDecoder(format: ImageFormat(rawValue: "second")),
        ]
        #expect(try decoders.decoder(for: Data("any".utf8)).format.rawValue == "first")
    }
}

/// Recognizes every file, and decodes none.
private struct CustomDecoder: ImageDecoder {
    let format: ImageFormat

    func recognizes(_ prefix: Data) -> Bool { true }

    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage { throw .unknownFormat }
}

/// Recognizes nothing and records the bytes that it receives.
private final class PrefixDecoder: ImageDecoder {
    private let received = Mutex<[Data]>([])

    var prefixes: [Data] { received.withLock { $0 } }
    var format: ImageFormat { .fake }

    func recognizes(_ prefix: Data) -> Bool {
        received.withLock { $0.append(prefix) }
        return false
    }

    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage { throw .unknownFormat }
}
