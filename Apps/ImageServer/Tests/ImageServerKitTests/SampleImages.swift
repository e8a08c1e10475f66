import Foundation
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageColorManagement
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageProcessing

@testable import ImageServerKit

/// Small images in each format, and a decoder for them.
enum SampleImages {
    static func bitmap(_ width: Int, _ height: Int, alpha: UInt8 = 255, shade: Int = 0) -> Bitmap {
        let pixels = (0..<width * height).flatMap { index -> [UInt8] in
            [UInt8((index % width * 5 + shade) & 255), UInt8(index / width * 7 & 255), UInt8(index * 3 & 255), alpha]
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: alpha == 255)
    }

    static func jpeg(_ width: Int = 80, _ height: Int = 40) throws -> Data {
        try JPEGEncoder().encode(bitmap(width, height), options: EncodingOptions())
    }

    static func png(_ width: Int = 80, _ height: Int = 40, alpha: UInt8 = 128) throws -> Data {
        try PNGEncoder().encode(bitmap(width, height, alpha: alpha), options: EncodingOptions())
    }

    static func gif(frames: Int) throws -> Data {
        let frames = (0..<frames).map {
            AnimationFrame(bitmap: bitmap(20, 10, shade: $0 * 50), delay: .milliseconds(70))
        }
        return try GIFEncoder().encode(frames, loopCount: 3, options: EncodingOptions())
    }

    static func decoder(_ limits: RenderingLimits = RenderingLimits()) -> DrawingDecoder {
        DrawingDecoder(
            base: DownsamplingDecoder(
                decoders: [any ImageDecoder].all, colorConverter: LittleCMSColorConverter(), limits: limits.decoding))
    }
}
