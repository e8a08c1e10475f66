import Foundation
import ImageCore
import Testing

@Suite("What all encoders have")
struct ImageEncoderTests {
    private struct StillEncoder: ImageEncoder {
        let format = ImageFormat.png
        func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data { Data([1]) }
    }

    private func frame(_ width: Int, _ space: ColorSpace = .sRGB) -> AnimationFrame {
        let size = PixelSize(width: width, height: 1)
        let pixels = [UInt8](repeating: 255, count: 4 * width)
        return AnimationFrame(bitmap: Bitmap(size: size, pixels: pixels, colorSpace: space), delay: .seconds(1))
    }

    @Test("without support for animations, one frame is a still image")
    func stillImages() throws {
        let (encoder, options) = (StillEncoder(), EncodingOptions())
        #expect(try encoder.encode([frame(1)], loopCount: 0, options: options) == Data([1]))
        #expect(throws: ImageEncodingError.inconsistentFrames) {
            try encoder.encode([], loopCount: 0, options: options)
        }
        #expect(throws: ImageEncodingError.animationUnsupported(.png)) {
            try encoder.encode([frame(1), frame(1)], loopCount: 0, options: options)
        }
    }

    @Test("both sides have a limit, and all frames one size")
    func sizes() throws {
        try StillEncoder().check(PixelSize(width: 9, height: 9), largest: 9)
        for (width, height) in [(10, 1), (1, 10), (0, 1), (1, 0)] {
            #expect(throws: ImageEncodingError.self) {
                try StillEncoder().check(PixelSize(width: width, height: height), largest: 9)
            }
        }
        #expect(try StillEncoder().commonSize(of: [frame(2), frame(2)]) == PixelSize(width: 2, height: 1))
        for frames in [[], [frame(2), frame(3)]] {
            #expect(throws: ImageEncodingError.inconsistentFrames) { try StillEncoder().commonSize(of: frames) }
        }
    }

    @Test("frames are converted to the largest of their color spaces")
    func colorSpaces() {
        #expect([frame(1)].inOneColorSpace.space == .sRGB)
        let (frames, space) = [frame(1), frame(1, .displayP3)].inOneColorSpace
        #expect(space == .displayP3 && frames.map(\.bitmap.colorSpace) == [.displayP3, .displayP3])
    }

    @Test("a quality is between the nearest values of a scale", arguments: [(0, 0.0), (0.25, 2.5), (1, 10)])
    func scale(quality: Double, expected: Double) {
        let value = EncodingOptions(quality: quality).quality(onScale: (0...10).map(Double.init))
        #expect(abs(value - expected) < 1e-9)
    }
}
