import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("Truncated images")
struct TruncationTests {
    private static let source = FakeImage(PixelSize(width: 16, height: 12), color: [10, 20, 30, 255])

    @Test("throws by default")
    func throwsByDefault() {
        #expect(throws: DecodingFailure.truncated(.fake)) { try decode(DecodingRequest()) }
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
        #expect(throws: DecodingFailure.truncated(.fake)) {
            try decode(DecodingRequest(acceptsTruncated: true), source)
        }
    }

    @Test("throws for malformed images even if truncated images are accepted")
    func malformed() {
        let failure = DecodingFailure.malformed(.fake, "broken")
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
        failure: DecodingFailure? = .truncated(.fake)
    ) throws -> DecodedImage {
        try DownsamplingDecoder(
            decoders: [FakeDecoder(decodeFailure: failure)],
            colorConverter: FakeColorConverter()
        ).decode(source.encoded, request: request, isCancelled: { false })
    }
}
