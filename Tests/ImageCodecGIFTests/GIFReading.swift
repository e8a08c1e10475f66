import Foundation
import ImageCodecGIF
import ImageCore

@testable import GeneratedImages

let gif = FileReading(GIFDecoder())

/// Decodes small GIFs in the builder's eight colors and describes their pixels as text.
enum GIFReading {
    /// Returns the decoded rows as text, and the error that ended decoding.
    static func rows(_ data: Data, frame: Int = 0) -> (text: String, failure: ImageDecodingError?) {
        let (rows, failure) = gif.rows(data, frame: frame)
        return (text(rows.flatMap { $0 }, width: rows.first.map { $0.count / 4 } ?? 1), failure)
    }

    /// Returns K, W, R, G, B, Y, M, C for the eight colors, a dot for transparent pixels and ? for others. Rows are
    /// separated by spaces.
    static func text(_ image: any OpenedImage, frame: Int = 0) throws(ImageDecodingError) -> String {
        text(try gif.pixels(image, frame: frame), width: image.header.storedSize.width)
    }

    private static func text(_ pixels: [UInt8], width: Int) -> String {
        var text = ""
        for start in stride(from: 0, to: pixels.count, by: 4) {
            if start > 0, start / 4 % width == 0 { text += " " }
            text.append(letter(Array(pixels[start..<start + 4])))
        }
        return text
    }

    static func text(_ data: Data, frame: Int = 0) throws(ImageDecodingError) -> String {
        try text(try gif.open(data), frame: frame)
    }

    private static func letter(_ pixel: [UInt8]) -> Character {
        if pixel[3] == 0 { return "." }
        guard let index = GIFBuilder.colors.firstIndex(of: Array(pixel[..<3])), pixel[3] == 255 else { return "?" }
        return Array("KWRGBYMC")[index]
    }
}
