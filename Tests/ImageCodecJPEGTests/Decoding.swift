import Foundation
import GeneratedImages
import ImageCodecJPEG
import ImageCore

let jpeg = FileReading(JPEGDecoder())

/// A 24 by 20 image with gradients and an edge.
let photograph: Bitmap = {
    let size = PixelSize(width: 24, height: 20)
    var pixels: [UInt8] = []
    for y in 0..<size.height {
        for x in 0..<size.width { pixels += [UInt8(x * 10), UInt8(y * 12), x > y ? 200 : 40, 255] }
    }
    return Bitmap(size: size, pixels: pixels, isOpaque: true)
}()

func encoded(progressive: Bool = false, quality: Double = 0.85) throws -> Data {
    try JPEGEncoder().encode(photograph, options: EncodingOptions(quality: quality, isProgressive: progressive))
}
