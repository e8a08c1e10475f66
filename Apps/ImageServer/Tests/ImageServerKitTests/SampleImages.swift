import Foundation
import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageColorManagement
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageProcessing
import ImageTesting

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

extension ProcessingOptions {
    /// Returns the options of a URL.
    /// - Parameter standard: The options that the URL changes.
    static func parsed(_ text: String, _ standard: ProcessingOptions = ProcessingOptions()) throws -> ProcessingOptions
    {
        try ImageURLParser(signature: nil, options: standard)
            .parse("/_/\(text)/plain/http://a/b", now: .distantPast).options
    }
}

/// Renders a source with the options of a URL.
///
/// - Parameters:
///   - standard: The options that the URL changes.
///   - change: Changes the renderer.
func renderImage(
    _ source: Data, _ text: String, accept: String? = nil, limits: RenderingLimits = RenderingLimits(),
    rules: FormatRules = FormatRules(), watermark: Watermark? = nil, standard: ProcessingOptions = ProcessingOptions(),
    _ change: (inout ImageRenderer) -> Void = { _ in }
) throws -> RenderedImage {
    var renderer = ImageRenderer(decoder: SampleImages.decoder(limits), limits: limits, clock: ManualClock())
    change(&renderer)
    return try renderer.render(
        source, .parsed(text, standard), accepted: AcceptedFormats(accept: accept, rules: rules), watermark: watermark)
}
