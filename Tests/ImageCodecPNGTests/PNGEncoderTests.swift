import Foundation
import GeneratedImages
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@Suite("Encoding PNG")
struct PNGEncoderTests {
    private static let sizes = [(1, 1), (5, 3), (64, 1), (1, 64), (129, 257)].map(PixelSize.init)

    @Test("every pixel is preserved", arguments: sizes, [false, true])
    func roundTrip(size: PixelSize, isOpaque: Bool) throws {
        let image = noise(size, isOpaque: isOpaque)
        for isProgressive in [false, true] {
            let file = try PNGEncoder().encode(image, options: EncodingOptions(isProgressive: isProgressive))
            #expect(try png.pixels(file) == image.pixels)
            #expect(try png.header(of: file).hasAlpha == !isOpaque)
        }
    }

    @Test("opaque images are written without alpha")
    func colorType() throws {
        let size = PixelSize(width: 4, height: 4)
        #expect(try PNGEncoder().encode(noise(size, isOpaque: true), options: EncodingOptions())[25] == 2)
        #expect(try PNGEncoder().encode(noise(size, isOpaque: false), options: EncodingOptions())[25] == 6)
    }

    @Test("a higher compression level gives a smaller file, and levels are clamped")
    func compressionLevel() throws {
        let size = PixelSize(width: 100, height: 100)
        let pixels = (0..<size.area).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index % 100), UInt8(index / 100), UInt8(index % 7), 255]
        }
        let image = Bitmap(size: size, pixels: pixels, isOpaque: true)
        let counts = try [0, 1, 9].map {
            try PNGEncoder(compressionLevel: $0).encode(image, options: EncodingOptions()).count
        }
        #expect(counts[0] > counts[1])
        #expect(counts[1] > counts[2])
        #expect(
            try PNGEncoder(compressionLevel: 99).encode(image, options: EncodingOptions()).count == counts[2])
    }
}

let png = FileReading(PNGDecoder())

/// Returns whether decoding throws `.malformed`.
func isMalformed(_ data: Data) -> Bool {
    if case .malformed(.png, _) = png.failure(data) { true } else { false }
}

/// Returns an image of seeded noise.
func noise(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
    var random = SeededRandom(seed: UInt64(size.area))
    var pixels = (0..<size.area * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
    if isOpaque { for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 } }
    return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
}
