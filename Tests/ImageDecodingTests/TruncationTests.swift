import Foundation
import ImageCore
import Synchronization
import Testing

@testable import ImageDecoding
@testable import ImageTesting

@Suite("Truncated images")
struct TruncationTests {
    private static let source = FakeImage(PixelSize(width: 16, height: 12), color: [10, 20, 30, 255])

    @Test("throws by default")
    func throwsByDefault() {
        #expect(throws: ImageDecodingError.truncated(.fake)) { try decode(DecodingRequest()) }
    }

    @Test("returns the available rows on request, is transparent elsewhere, and is flagged as truncated")
    func accepted() throws {
        let image = try decode(DecodingRequest(acceptsTruncated: true))
        let expected =
            (0..<16 * 6).flatMap { _ in [UInt8(10), 20, 30, 255] } + [UInt8](repeating: 0, count: 16 * 6 * 4)
        #expect(image.bitmap.pixels == expected)
        #expect(!image.bitmap.isOpaque)
        #expect(image.completeness == .truncated)
    }

    @Test("rotates and scales a truncated image")
    func scaled() throws {
        var source = Self.source
        source.orientation = .right
        let request = DecodingRequest(target: ImageTarget(PixelSize(width: 6, height: 8)), acceptsTruncated: true)
        let image = try decode(request, source)
        #expect(image.bitmap.size == PixelSize(width: 6, height: 8))
        // After rotation to the right, the top is on the right side.
        let alpha = (0..<6).map { image.bitmap.pixels[4 * $0 + 3] }
        #expect(alpha.prefix(3).allSatisfy { $0 < 20 } && alpha.suffix(3).allSatisfy { $0 > 235 })
    }

    @Test("converts colors before missing rows are added")
    func converted() throws {
        var source = FakeImage(PixelSize(width: 4, height: 2), color: [10, 10, 10, 255])
        source.nativeLayout = .gray8
        source.colorProfile = FakeColorConverter.profile(for: .gray8)
        let image = try decode(DecodingRequest(acceptsTruncated: true), source)
        #expect(
            image.bitmap.pixels == (0..<4).flatMap { _ in [UInt8(245), 245, 245, 255] }
                + [UInt8](repeating: 0, count: 16))
    }

    @Test("throws if not a single row is available")
    func nothing() {
        let source = FakeImage(PixelSize(width: 16, height: 1))
        #expect(throws: ImageDecodingError.truncated(.fake)) {
            try decode(DecodingRequest(acceptsTruncated: true), source)
        }
    }

    @Test("throws for malformed images even if truncated images are accepted")
    func malformed() {
        let failure = ImageDecodingError.malformed(.fake, "broken")
        #expect(throws: failure) { try decode(DecodingRequest(acceptsTruncated: true), failure: failure) }
    }

    @Test("decodes a complete image the same whether or not truncated images are accepted")
    func complete() throws {
        let whole = try decode(DecodingRequest(), failure: nil)
        #expect(try decode(DecodingRequest(acceptsTruncated: true), failure: nil) == whole)
        #expect(whole.completeness == .complete)
    }

    /// Decodes with a decoder that throws `failure` after half of the rows.
    private func decode(
        _ request: DecodingRequest, _ source: FakeImage = source,
        failure: ImageDecodingError? = .truncated(.fake)
    ) throws -> DecodedImage {
        try DownsamplingDecoder(
            decoders: [FakeDecoder(decodeFailure: failure)],
            colorConverter: FakeColorConverter()
        ).decode(source.encoded, request: request, isCancelled: { false })
    }
}

@Suite("Decoding images in another color space")
struct ColorDecodingTests {
    private func image(
        _ color: SourceColor, to output: OutputColor = .sRGB,
        converter: (any ColorConverter)? = FakeColorConverter()
    ) throws -> Bitmap {
        let source = FakeImage(PixelSize(width: 2, height: 1), color: [10, 20, 30, 255])
        let decoder = DownsamplingDecoder(decoders: [ChangedDecoder(color: color)], colorConverter: converter)
        let request = DecodingRequest(color: output)
        return try decoder.decode(source.encoded, request: request, isCancelled: { false }).bitmap
    }

    private func pixel(_ bitmap: Bitmap) -> [UInt8] { Array(bitmap.pixels.prefix(4)) }

    @Test("applies the color of the file")
    func applied() throws {
        #expect(pixel(try image(FakeColorConverter.color)) == [245, 235, 225, 255])
        #expect(pixel(try image(.sRGB)) == [10, 20, 30, 255])
    }

    @Test("keeps pixels if the converter ignores the color, or without a converter")
    func ignored() throws {
        #expect(pixel(try image(SourceColor(transfer: .gamma(3)))) == [10, 20, 30, 255])
        let unconverted = try image(FakeColorConverter.color, to: .displayP3, converter: nil)
        #expect(pixel(unconverted) == [10, 20, 30, 255])
        #expect(unconverted.colorSpace == .sRGB)
    }

    @Test("the result has the chosen color space, by default sRGB")
    func space() throws {
        #expect(try image(FakeColorConverter.color).colorSpace == .sRGB)
        #expect(try image(FakeColorConverter.color, to: .displayP3).colorSpace == .displayP3)
        #expect(try image(FakeColorConverter.color, to: .automatic).colorSpace == .displayP3)
        let profile = SourceColor(profile: FakeColorConverter.profile(for: .rgba8))
        #expect(try image(profile, to: .automatic).colorSpace == .sRGB)
        #expect(try image(profile, to: .displayP3).colorSpace == .displayP3)
    }

    @Test("a color that can't be applied counts as sRGB", arguments: [SourceColor.sRGB, .init(profile: Data([1]))])
    func unknown(color: SourceColor) throws {
        let result = try image(color, to: .displayP3, converter: RGBColorConverter())
        let expected = Bitmap(
            size: PixelSize(width: 2, height: 1), pixels: [10, 20, 30, 255, 10, 20, 30, 255], isOpaque: true
        ).converted(to: .displayP3)
        #expect(result == expected)
        #expect(try image(color, to: .automatic, converter: RGBColorConverter()).colorSpace == .sRGB)
    }

    @Test("HDR needs a converter", arguments: [TransferFunction.pq, .hlg])
    func hdr(transfer: TransferFunction) throws {
        let color = SourceColor(transfer: transfer)
        let failure = ImageDecodingError.unsupported(.fake, "HDR needs a ColorConverter")
        #expect(throws: failure) { try image(color, converter: nil) }
        #expect(pixel(try image(color, converter: RGBColorConverter())) != [10, 20, 30, 255])
    }
}

@Suite("Choice of the decoder")
struct DecoderChoiceTests {
    @Test("a file in a known format without a decoder fails with the decoder to add")
    func namesTheMissingDecoder() throws {
        let avif = Data([0, 0, 0, 20]) + Data("ftypavif".utf8) + Data(count: 8)
        let failure = #expect(throws: ImageDecodingError.self) {
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
        #expect(throws: ImageDecodingError.unknownFormat) {
            try [any ImageDecoder]([FakeDecoder()]).decoder(for: Data("%PDF-1.7".utf8))
        }
    }

    @Test("passes the first 128 bytes to a decoder, starting at index 0")
    func prefix() throws {
        let recorder = PrefixDecoder()
        let data = (Data([9, 9]) + Data(0..<200)).dropFirst(2)
        #expect(throws: ImageDecodingError.unknownFormat) { try [any ImageDecoder]([recorder]).decoder(for: data) }
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

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        throw .unknownFormat
    }
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

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        throw .unknownFormat
    }
}
