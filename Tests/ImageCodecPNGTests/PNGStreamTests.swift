import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("PNG compressed stream")
struct PNGStreamTests {
    private static let image = SyntheticPNG(width: 40, height: 30, colorType: 2, depth: 8)

    @Test("pixels can be split into chunks anywhere, also into empty ones")
    func pieces() throws {
        var file = Self.image.raw
        for pieces in [[0], [1], [0, 0, 1, 0, 1, 0], [2, 0, 5], [7, 100, 0, 1], Array(repeating: 1, count: 4000)] {
            file.pieces = pieces
            #expect(try png.pixels(file.data) == Self.image.pixels, "\(pieces.prefix(6))")
        }
    }

    @Test("the checksum of a chunk covers each byte of pixels")
    func checksums() {
        var file = Self.image.raw
        file.pieces = [100, 1000, 0]
        let whole = file.data
        for index in stride(from: 41, to: whole.count - 12, by: 7) {
            var damaged = whole
            damaged[index] ^= 0x10
            #expect(png.failure(damaged) != nil, "byte \(index)")
        }
    }

    @Test("a wrong checksum of the pixels is malformed")
    func adler() {
        for index in 1...4 {
            var file = Self.image.raw
            var stream = file.compressed
            stream[stream.count - index] ^= 1
            file.stream = stream
            #expect(isMalformed(file.data), "byte \(index) from the end")
        }
    }

    @Test("a stream without a checksum, or with surplus data after the last row, is accepted")
    func looseEnds() throws {
        var file = Self.image.raw
        let whole = file.compressed
        for missing in 1...4 {
            file.stream = whole.dropLast(missing)
            #expect(try png.pixels(file.data) == Self.image.pixels)
        }
        file.stream = whole + [1, 2, 3, 4]
        #expect(try png.pixels(file.data) == Self.image.pixels)
        file.stream = nil
        for surplus in [1, 100, 500_000] {
            file = Self.image.raw
            file.scanlines.append([UInt8](repeating: 9, count: surplus))
            #expect(try png.pixels(file.data) == Self.image.pixels, "\(surplus) bytes")
            // Its checksum doesn't matter.
            file.stream = file.compressed.dropLast() + [(file.compressed.last ?? 0) ^ 1]
            #expect(try png.pixels(file.data) == Self.image.pixels, "\(surplus) bytes")
        }
    }

    @Test("a stream that ends early is truncated, also if the file continues")
    func short() {
        var file = Self.image.raw
        file.scanlines.removeLast()
        #expect(png.failure(file.data) == .truncated(.png))
        let whole = Self.image.raw.compressed
        for count in [0, 1, 2, 100, whole.count - 5] {
            file.stream = Array(whole.prefix(count))
            #expect(png.failure(file.data) == .truncated(.png), "\(count) bytes")
        }
    }

    @Test("IDAT chunks after another chunk are ignored", arguments: [[65, 0, 65], [65, 0, 65, 66]] as [[UInt8]])
    func interruption(text: [UInt8]) throws {
        var file = Self.image.raw
        file.pieces = [1000]
        file.between = [.init("tEXt", text)]
        #expect(png.failure(file.data) == .truncated(.png))
        let image = PNGDecoder().makeIncrementalImage(limits: .default)
        try image.append(file.data.prefix(100))
        try image.start(size: PixelSize(width: 40, height: 30), layout: .rgba8)
        for byte in file.data.dropFirst(100) { try image.append(Data([byte])) }
        #expect(image.extent == PreviewExtent(passes: 0, rows: 8))
    }

    @Test("a chunk type has letters from A to Z and a to z")
    func letters() throws {
        var file = Self.image.raw
        file.before = [.init("zAaZ", [1]), .init("aZzA", [2])]
        #expect(try png.pixels(file.data) == Self.image.pixels)
    }

    @Test(
        "a chunk whose type isn't four letters is malformed",
        arguments: ["ab1d", "a cd", "a[cd", "\0bcd", "a@cd", "a`cd", "a{cd"])
    func typeOfOtherCharacters(type: String) {
        var file = Self.image.raw
        file.before.append(.init(type, []))
        #expect(png.failure(file.data) == .malformed(.png, "a chunk type has characters other than letters"))
    }

    @Test("all valid window sizes are accepted", arguments: 0...8)
    func windows(bits: Int) throws {
        var file = Self.image.raw
        let first = bits << 4 | 8
        let check = (31 - first * 256 % 31) % 31
        file.stream = [UInt8(first), UInt8(check)] + file.compressed.dropFirst(2)
        if bits == 8 { return #expect(isMalformed(file.data)) }
        #expect(try png.pixels(file.data) == Self.image.pixels)
    }

    @Test("an invalid zlib stream is malformed")
    func noStream() {
        var file = Self.image.raw
        let body = Array(file.compressed.dropFirst(2))
        // Another method, a wrong check and a dictionary. Below: a reserved block type, and a stored block with
        // inconsistent lengths.
        for start in [[0x77, 0x0C], [0x78, 0x02], [0x78, 0x20]] as [[UInt8]] {
            file.stream = start + body
            #expect(isMalformed(file.data), "\(start)")
        }
        file.stream = [0x78, 0x01, 0x07] + body
        #expect(isMalformed(file.data))
        file.stream = [0x78, 0x01, 0x01, 1, 0, 1, 0, 7]
        #expect(isMalformed(file.data))
    }

    @Test("a distance to before the first byte is malformed")
    func distance() {
        // A fixed block: the literal 0, then a copy of 3 bytes at distance 32,768 (RFC 1951, 3.2.6).
        var bits = BitWriter()
        bits.write(0b011, 3)
        bits.writeCode(0b0011_0000, 8)
        bits.writeCode(0b000_0001, 7)
        bits.writeCode(29, 5)
        bits.write(0x1FFF, 13)
        bits.writeCode(0, 7)
        var file = RawPNG(scanlines: [])
        file.stream = [0x78, 0x01] + bits.bytes + [0, 0, 0, 1]
        #expect(isMalformed(file.data))
        #expect(png.rows(file.data).rows.isEmpty)
    }

    @Test("data after the last row is not inflated")
    func bomb() throws {
        // A row of three pixels, then 50 MB of zeros in runs of 258.
        var bits = BitWriter()
        bits.write(0b011, 3)
        for _ in 0..<10 { bits.writeCode(0b0011_0000, 8) }
        for _ in 0..<200_000 {
            bits.writeCode(0b1100_0101, 8)
            bits.writeCode(0, 5)
        }
        bits.writeCode(0, 7)
        var file = RawPNG(width: 3, scanlines: [])
        file.stream = [0x78, 0x01] + bits.bytes + [0, 0, 0, 1]
        #expect(try png.pixels(file.data) == [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    }
}

/// Writes the bits of a deflate stream, least significant first (RFC 1951, 3.1.1).
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func write(_ value: Int, _ bitCount: Int) {
        for bit in 0..<bitCount {
            if count.isMultiple(of: 8) { bytes.append(0) }
            if value >> bit & 1 == 1 { bytes[count / 8] |= 1 << UInt8(count % 8) }
            count += 1
        }
    }

    /// Writes a Huffman code, most significant bit first.
    mutating func writeCode(_ value: Int, _ bitCount: Int) {
        for bit in (0..<bitCount).reversed() { write(value >> bit & 1, 1) }
    }
}
