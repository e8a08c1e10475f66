import Foundation
import GeneratedImages
import ImageCodecBMP
import ImageCore
import ImageTesting
import Testing

@Suite("BMP: limits")
struct BMPLimitTests {
    /// Returns a file of 8 bits per pixel with a palette of black alone.
    private static func file(_ width: Int32, _ height: Int32, compression: Int32 = 0, pixels: Data) -> Data {
        let words: [Int32] = [
            58 + Int32(pixels.count), 0, 58, 40, width, height, 1 | 8 << 16, compression, 0, 0, 0, 1, 0, 0,
        ]
        let header = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return Data("BM".utf8) + header + pixels
    }

    @Test("a bitmap above the limits is refused before its pixels are read")
    func area() {
        let failure = ImageDecodingError.limitExceeded(.pixels, value: 65_535 * 65_535, allowed: 500_000_000)
        #expect(throws: failure) {
            try BMPDecoder().open(Self.file(65_535, 65_535, pixels: Data(count: 1_100)), limits: .default)
        }
    }

    @Test("a huge bitmap without limits is truncated, not an overflow")
    func withoutLimits() {
        let limits = DecodingLimits(encodedByteLimit: .max, maxPixels: .max, maxSide: .max, decodedByteLimit: .max)
        #expect(throws: ImageDecodingError.truncated(.bmp)) {
            try BMPDecoder().open(Self.file(.max, .min, pixels: Data(count: 9)), limits: limits)
        }
    }

    @Test("the memory of run lengths is limited, although the file is small")
    func runLengths() {
        let limits = DecodingLimits(decodedByteLimit: 999_999)
        let failure = ImageDecodingError.limitExceeded(.decodedBytes, value: 1_000_000, allowed: 999_999)
        #expect(throws: failure) {
            try BMPDecoder().open(Self.file(1_000, 1_000, compression: 1, pixels: Data([0, 1])), limits: limits)
        }
    }

    @Test("decoding is cancelled between runs that are beyond the edge")
    func runsBeyondTheEdge() throws {
        let file = Self.file(1, 1, compression: 1, pixels: Data(repeating: 0xFF, count: 200_000))
        let sink = CancellingSink(atCheck: 6)
        #expect(throws: ImageDecodingError.cancelled) {
            try BMPDecoder().open(file, limits: .default)
                .decode(frame: 0, size: PixelSize(width: 1, height: 1), layout: .rgba8, into: sink)
        }
        #expect(sink.checks == 6)
    }

    @Test("decoding is cancelled between rows", arguments: [(1, 200), (0, 800)] as [(Int32, Int)])
    func rows(compression: Int32, length: Int) throws {
        let file = Self.file(1, 200, compression: compression, pixels: Data(count: length))
        let sink = CancellingSink(atCheck: 3)
        #expect(throws: ImageDecodingError.cancelled) {
            try BMPDecoder().open(file, limits: .default)
                .decode(frame: 0, size: PixelSize(width: 1, height: 200), layout: .rgba8, into: sink)
        }
        #expect(sink.checks == 3)
    }
}
