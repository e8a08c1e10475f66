import Foundation
import ImageCore

@testable import GeneratedImages

/// Writes animated PNGs, valid or not. Pixels are letters: R, G and B are opaque, r is half transparent red, a dot is
/// transparent. Spaces separate rows.
struct AnimatedPNG {
    var width: Int
    var height: Int
    var depth: UInt8 = 8
    var colorType: UInt8 = 6
    var interlace: UInt8 = 0
    var chunks: [RawPNG.Chunk] = []
    var sequence = 0
    var hasEnd = true

    static let colors: [Character: [UInt8]] = [
        "R": [255, 0, 0, 255], "G": [0, 255, 0, 255], "B": [0, 0, 255, 255], "r": [255, 0, 0, 128], ".": [0, 0, 0, 0],
    ]

    /// Creates a file with an acTL chunk.
    init(_ width: Int, _ height: Int, frames: Int, plays: Int = 0) {
        (self.width, self.height) = (width, height)
        chunks = [.init("acTL", RawPNG.uint32(frames) + RawPNG.uint32(plays))]
    }

    var data: Data {
        let header = RawPNG.uint32(width) + RawPNG.uint32(height) + [depth, colorType, 0, 0, interlace]
        let all = [RawPNG.Chunk("IHDR", header)] + chunks + (hasEnd ? [RawPNG.Chunk("IEND", [])] : [])
        return Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + all.flatMap(\.file))
    }

    /// Adds an fcTL chunk; by default of the whole canvas.
    mutating func control(
        _ left: Int = 0, _ top: Int = 0, _ size: (Int, Int)? = nil, delay: (Int, Int) = (1, 10), dispose: UInt8 = 0,
        blend: UInt8 = 0
    ) {
        let (width, height) = size ?? (width, height)
        let delays = [delay.0, delay.1].flatMap { RawPNG.uint32($0).suffix(2) }
        chunks.append(
            .init("fcTL", ([next(), width, height, left, top].flatMap(RawPNG.uint32)) + delays + [dispose, blend]))
    }

    /// Adds the default image.
    mutating func image(_ text: String) { image(stream: Self.stream(text)) }

    mutating func image(stream: [UInt8]) { chunks.append(.init("IDAT", stream)) }

    /// Adds the pixels of a frame, in chunks of these lengths and the rest.
    mutating func pixels(_ text: String, pieces: [Int] = []) { pixels(stream: Self.stream(text), pieces: pieces) }

    mutating func pixels(stream: [UInt8], pieces: [Int] = []) {
        var rest = stream[...]
        for length in pieces + [stream.count] {
            chunks.append(.init("fdAT", RawPNG.uint32(next()) + rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }

    /// Adds a frame of one row.
    mutating func frame(_ text: String, at left: Int = 0, dispose: UInt8 = 0, blend: UInt8 = 0) {
        control(left, 0, (text.count, 1), dispose: dispose, blend: blend)
        pixels(text)
    }

    private mutating func next() -> Int {
        defer { sequence += 1 }
        return sequence
    }

    private static func stream(_ text: String) -> [UInt8] {
        RawPNG.deflated(text.split(separator: " ").flatMap { row in [0] + row.flatMap { colors[$0] ?? [] } })
    }

    /// Returns a frame as text. Other colors are question marks.
    static func text(_ image: any OpenedImage, frame: Int = 0) throws(ImageDecodingError) -> String {
        text(try png.pixels(image, frame: frame), width: image.header.storedSize.width)
    }

    /// Returns all frames.
    static func texts(_ data: Data) throws -> [String] {
        let image = try png.open(data)
        return try (0..<image.header.frameCount).map { try text(image, frame: $0) }
    }

    static func text(_ pixels: [UInt8], width: Int) -> String {
        let letters = stride(from: 0, to: pixels.count, by: 4).map { start -> Character in
            let pixel = Array(pixels[start..<start + 4])
            return pixel[3] == 0 ? "." : colors.first { $0.value == pixel }?.key ?? "?"
        }
        return stride(from: 0, to: letters.count, by: width).map {
            String(letters[$0..<min($0 + width, letters.count)])
        }
        .joined(separator: " ")
    }
}
