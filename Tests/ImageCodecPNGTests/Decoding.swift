import Foundation
import GeneratedImages
import ImageCodecPNG
import ImageCore
import ImageTesting

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
