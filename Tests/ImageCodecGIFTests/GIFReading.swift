import Foundation
import ImageCodecGIF
import ImageCore
import ImageTesting

@testable import GeneratedImages

/// Decodes small GIFs in the builder's eight colors and describes their pixels as text.
enum GIFReading {
    static func open(_ data: Data, limits: DecodingLimits = .default) throws(DecodingFailure) -> any OpenedImage {
        try GIFDecoder().open(data, limits: limits)
    }

    static func pixels(_ image: any OpenedImage, frame: Int = 0) throws(DecodingFailure) -> [UInt8] {
        let sink = CollectingRowSink()
        try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
        return sink.pixels
    }

    /// Returns the decoded rows as text, and the error that ended decoding.
    static func rows(_ data: Data, frame: Int = 0) throws -> (text: String, failure: DecodingFailure?) {
        let image = try open(data)
        let sink = CollectingRowSink()
        do throws(DecodingFailure) {
            try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
            return (text(sink.pixels, width: image.header.storedSize.width), nil)
        } catch {
            return (text(sink.pixels, width: image.header.storedSize.width), error)
        }
    }

    /// Returns K, W, R, G, B, Y, M, C for the eight colors, a dot for transparent pixels and ? for others. Rows are
    /// separated by spaces.
    static func text(_ image: any OpenedImage, frame: Int = 0) throws(DecodingFailure) -> String {
        text(try pixels(image, frame: frame), width: image.header.storedSize.width)
    }

    private static func text(_ pixels: [UInt8], width: Int) -> String {
        var text = ""
        for start in stride(from: 0, to: pixels.count, by: 4) {
            if start > 0, start / 4 % width == 0 { text += " " }
            text.append(letter(Array(pixels[start..<start + 4])))
        }
        return text
    }

    static func text(_ data: Data, frame: Int = 0) throws(DecodingFailure) -> String {
        try text(try open(data), frame: frame)
    }

    private static func letter(_ pixel: [UInt8]) -> Character {
        if pixel[3] == 0 { return "." }
        guard let index = GIFBuilder.colors.firstIndex(of: Array(pixel[..<3])), pixel[3] == 255 else { return "?" }
        return Array("KWRGBYMC")[index]
    }
}
