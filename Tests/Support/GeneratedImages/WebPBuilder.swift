import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting

/// Builds valid and invalid WebP files from chunks (RFC 9649, 2).
struct WebPBuilder {
    private var chunks = Data()
    private var flags: UInt8 = 0
    private let size: PixelSize

    init(_ width: Int, _ height: Int) { size = PixelSize(width: width, height: height) }

    enum Flag: UInt8 { case animation = 0x02, exif = 0x08, alpha = 0x10, profile = 0x20 }

    mutating func flag(_ flag: Flag) { flags |= flag.rawValue }

    mutating func chunk(_ name: String, _ payload: Data) {
        chunks += Self.chunk(name, payload)
    }

    mutating func append(_ bytes: Data) { chunks += bytes }

    mutating func profile(_ payload: Data) {
        flag(.profile)
        chunk("ICCP", payload)
    }

    mutating func exif(_ payload: Data) {
        flag(.exif)
        chunk("EXIF", payload)
    }

    mutating func animation(loopCount: Int) {
        flag(.animation)
        chunk("ANIM", Data([1, 2, 3, 4, UInt8(loopCount & 255), UInt8(loopCount >> 8)]))
    }

    /// Appends the image chunks of a still file.
    mutating func image(of file: Data) { chunks += Self.imageChunks(of: file) }

    mutating func frame(
        _ bitmap: Bitmap, left: Int = 0, top: Int = 0, delay: Int = 100, blends: Bool = false, clears: Bool = false
    ) throws {
        let file = try WebPEncoder().encode(bitmap, options: EncodingOptions(isLossless: true))
        frame(
            file, bitmap.size.width, bitmap.size.height, left: left, top: top, delay: delay, blends: blends,
            clears: clears)
    }

    /// Appends a frame with the image of a still file, which should have this size.
    mutating func frame(
        _ file: Data, _ width: Int, _ height: Int, left: Int = 0, top: Int = 0, delay: Int = 100, blends: Bool = false,
        clears: Bool = false
    ) {
        let header = [left / 2, top / 2, width - 1, height - 1, delay].reduce(into: Data()) { $0 += Self.triple($1) }
        let flags = (blends ? 0 : 2) | (clears ? 1 : 0)
        chunk("ANMF", header + Data([UInt8(flags)]) + Self.imageChunks(of: file))
    }

    var finished: Data {
        let canvas = Data([flags, 0, 0, 0]) + Self.triple(size.width - 1) + Self.triple(size.height - 1)
        let body = Data("WEBP".utf8) + Self.chunk("VP8X", canvas) + chunks
        return Data("RIFF".utf8) + Self.word(body.count) + body
    }

    private static func chunk(_ name: String, _ payload: Data) -> Data {
        Data(name.utf8) + word(payload.count) + payload + Data(count: payload.count % 2)
    }

    /// Returns the chunks of a file without the RIFF header and VP8X.
    private static func imageChunks(of file: Data) -> Data {
        let chunks = file.dropFirst(12)
        return chunks.starts(with: "VP8X".utf8) ? Data(chunks.dropFirst(18)) : Data(chunks)
    }

    private static func triple(_ value: Int) -> Data {
        Data([UInt8(value & 255), UInt8(value >> 8 & 255), UInt8(value >> 16 & 255)])
    }

    private static func word(_ value: Int) -> Data { triple(value) + Data([UInt8(value >> 24 & 255)]) }
}

extension Bitmap {
    /// Returns a bitmap of a single color.
    static func flat(_ width: Int, _ height: Int, _ color: [UInt8]) -> Bitmap {
        let pixels: [UInt8] = (0..<width * height).reduce(into: []) { pixels, _ in pixels += color }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: color[3] == 255)
    }

    /// Returns a gradient, with all alpha values if `hasAlpha` is true.
    static func gradient(_ width: Int, _ height: Int, hasAlpha: Bool = false) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let alpha = hasAlpha ? UInt8((x + y) * 255 / (width + height)) : 255
                pixels += [UInt8(x * 255 / width), UInt8(y * 255 / height), 128, alpha]
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: !hasAlpha)
    }
}
