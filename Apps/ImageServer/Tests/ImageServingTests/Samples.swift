import Foundation
import ImageCodecJPEG
import ImageCodecPNG
import ImageCore

/// Images that origins of the tests send.
enum Samples {
    static func bitmap(_ width: Int, _ height: Int) -> Bitmap {
        var state: UInt32 = 1
        let pixels = (0..<width * height).flatMap { _ -> [UInt8] in
            state = state &* 1_664_525 &+ 1_013_904_223
            return [UInt8(state >> 24), UInt8(state >> 16 & 255), UInt8(state >> 8 & 255), 255]
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: true)
    }

    static func jpeg(_ width: Int = 64, _ height: Int = 32) throws -> Data {
        try JPEGEncoder().encode(bitmap(width, height), options: EncodingOptions())
    }

    static func png(_ width: Int = 64, _ height: Int = 32) throws -> Data {
        try PNGEncoder(effort: 0).encode(bitmap(width, height), options: EncodingOptions())
    }
}
