import Foundation

/// Writes PNG files from raw scanlines with stored (uncompressed) deflate blocks. Can write invalid files.
struct RawPNG {
    /// A chunk with its type and data. Optionally has a wrong checksum.
    struct Chunk {
        var type: String
        var bytes: [UInt8]
        var hasWrongChecksum = false

        init(_ type: String, _ bytes: [UInt8], hasWrongChecksum: Bool = false) {
            (self.type, self.bytes, self.hasWrongChecksum) = (type, bytes, hasWrongChecksum)
        }

        var file: [UInt8] {
            let body = Array(type.utf8) + bytes
            let sum = RawPNG.crc32(body) ^ (hasWrongChecksum ? 1 : 0)
            return RawPNG.uint32(bytes.count) + body + RawPNG.uint32(Int(sum))
        }
    }

    var width = 1
    var height = 1
    var depth: UInt8 = 8
    /// 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
    var colorType: UInt8 = 2
    var interlace: UInt8 = 0
    /// The scanlines, each starting with its filter byte.
    var scanlines: [[UInt8]]
    /// Chunks before and after the pixels.
    var before: [Chunk] = []
    var after: [Chunk] = []
    var pixelsHaveWrongChecksum = false
    /// The lengths of the first IDAT chunks. One more has the rest.
    var pieces: [Int] = []
    /// Chunks after the first IDAT chunk.
    var between: [Chunk] = []
    /// Replaces the compressed scanlines.
    var stream: [UInt8]?
    var hasEnd = true

    var data: Data {
        let header =
            Self.uint32(width) + Self.uint32(height) + [depth, colorType, 0, 0, interlace]
        var pixels = pixelChunks
        pixels.insert(contentsOf: between, at: 1)
        let chunks = [Chunk("IHDR", header)] + before + pixels + after + (hasEnd ? [Chunk("IEND", [])] : [])
        return Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + chunks.flatMap(\.file))
    }

    /// The compressed scanlines.
    var compressed: [UInt8] { Self.deflated(Array(scanlines.joined())) }

    private var pixelChunks: [Chunk] {
        var rest = (stream ?? compressed)[...]
        return (pieces + [rest.count]).map { length in
            defer { rest = rest.dropFirst(length) }
            return Chunk("IDAT", Array(rest.prefix(length)), hasWrongChecksum: pixelsHaveWrongChecksum)
        }
    }

    /// Returns a minimal ICC profile: a header without tags (ICC.1, 7.2).
    static func profile(space: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 132)
        bytes.replaceSubrange(0..<4, with: uint32(132))
        bytes[8] = 2
        bytes.replaceSubrange(12..<16, with: Array("mntr".utf8))
        bytes.replaceSubrange(16..<20, with: Array(space.utf8))
        bytes.replaceSubrange(20..<24, with: Array("XYZ ".utf8))
        bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
        bytes.replaceSubrange(68..<80, with: uint32(0xF6D6) + uint32(0x10000) + uint32(0xD32D))
        return bytes
    }

    /// Returns an iCCP chunk with a profile.
    static func profileChunk(_ profile: [UInt8], hasWrongChecksum: Bool = false) -> Chunk {
        Chunk("iCCP", Array("test".utf8) + [0, 0] + deflated(profile), hasWrongChecksum: hasWrongChecksum)
    }

    /// Returns a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(65_535)
            stream.append(rest.isEmpty ? 1 : 0)
            for count in [UInt16(block.count), ~UInt16(block.count)] {
                stream += [UInt8(count & 0xFF), UInt8(count >> 8)]
            }
            stream += block
        } while !rest.isEmpty
        return stream + uint32(adler32(bytes))
    }

    static func uint32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }

    private static func adler32(_ bytes: [UInt8]) -> Int {
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes { sum = crcTable[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
        return ~sum
    }

    /// The CRC table (PNG 3rd edition, annex D).
    private static let crcTable: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}
