import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@Suite("Images whose file ends too early")
struct TruncationTests {
    private static let source = FakeImage(PixelSize(width: 16, height: 12), color: [10, 20, 30, 255])

    @Test("are refused unless asked for")
    func refused() {
        #expect(throws: DecodingFailure.truncated(.fake)) { try decode(DecodingRequest()) }
    }

    @Test("are shown as far as they go when asked for, the rest transparent, and say so")
    func accepted() throws {
        let image = try decode(DecodingRequest(acceptsTruncated: true))
        let expected =
            (0..<16 * 6).flatMap { _ in [UInt8(10), 20, 30, 255] } + [UInt8](repeating: 0, count: 16 * 6 * 4)
        #expect(image.bitmap.pixels == expected)
        #expect(!image.bitmap.isOpaque)
        #expect(image.completeness == .truncated)
    }

    @Test("are turned and scaled like whole ones")
    func scaled() throws {
        var source = Self.source
        source.orientation = .right
        let request = DecodingRequest(target: ImageTarget(PixelSize(width: 6, height: 8)), acceptsTruncated: true)
        let image = try decode(request, source)
        #expect(image.bitmap.size == PixelSize(width: 6, height: 8))
        // Turned to the right, what was at the top is at the right.
        let row = Array(image.bitmap.pixels.prefix(6 * 4))
        #expect(row == [UInt8](repeating: 0, count: 12) + [10, 20, 30, 255, 10, 20, 30, 255, 10, 20, 30, 255])
    }

    @Test("with a profile are converted before the missing rows are made up")
    func converted() throws {
        var source = FakeImage(PixelSize(width: 4, height: 2), color: [10, 10, 10, 255])
        source.nativeLayout = .gray8
        source.colorProfile = FakeColorConverter.profile(for: .gray8)
        let image = try decode(DecodingRequest(acceptsTruncated: true), source)
        #expect(
            image.bitmap.pixels == (0..<4).flatMap { _ in [UInt8(245), 245, 245, 255] }
                + [UInt8](repeating: 0, count: 16))
    }

    @Test("of which not one row can be told stay an error")
    func nothing() {
        let source = FakeImage(PixelSize(width: 16, height: 1))
        #expect(throws: DecodingFailure.truncated(.fake)) {
            try decode(DecodingRequest(acceptsTruncated: true), source)
        }
    }

    @Test("are not confused with malformed ones, which stay an error")
    func malformed() {
        let failure = DecodingFailure.malformed(.fake, "broken")
        #expect(throws: failure) { try decode(DecodingRequest(acceptsTruncated: true), failure: failure) }
    }

    @Test("cost complete ones nothing: these come out as ever")
    func complete() throws {
        let whole = try decode(DecodingRequest(), failure: nil)
        #expect(try decode(DecodingRequest(acceptsTruncated: true), failure: nil) == whole)
        #expect(whole.completeness == .complete)
    }

    /// Half of the rows come before `failure` is thrown.
    private func decode(
        _ request: DecodingRequest, _ source: FakeImage = source,
        failure: DecodingFailure? = .truncated(.fake)
    ) throws -> DecodedImage {
        try DownsamplingDecoder(
            decoders: [FakeDecoder(decodeFailure: failure)], resampler: FakeRowResampler(),
            colorConverter: FakeColorConverter()
        ).decode(source.encoded, request: request, isCancelled: { false })
    }
}
