import Foundation

/// Writes valid and invalid GIF files block by block, independently of the encoder under test.
struct GIFBuilder {
    private(set) var data: Data

    /// Black, white, red, green, blue, yellow, magenta and cyan.
    static let colors: [[UInt8]] = [
        [0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0], [255, 0, 255], [0, 255, 255],
    ]

    /// - Parameter palette: the global palette, whose count is a power of two, or nil for none.
    init(_ width: Int, _ height: Int, palette: [[UInt8]]? = colors, version: String = "89a") {
        data = Data("GIF\(version)".utf8)
        data += Self.word(width) + Self.word(height) + [palette.map(Self.paletteFlags) ?? 0, 0, 0]
        for color in palette ?? [] { data += color }
    }

    var finished: Data { data + [0x3B] }

    mutating func append(_ bytes: [UInt8]) { data += bytes }

    mutating func control(delay: Int = 10, disposal: Int = 0, transparent: Int? = nil) {
        append([0x21, 0xF9, 4, UInt8(disposal << 2) | (transparent == nil ? 0 : 1)])
        append(Self.word(delay) + [UInt8(transparent ?? 0), 0])
    }

    mutating func loop(_ repetitions: Int, application: String = "NETSCAPE2.0") {
        append([0x21, 0xFF, 11] + Array(application.utf8) + [3, 1] + Self.word(repetitions) + [0])
    }

    /// Appends an image with the pixels `indices`, in storage order.
    mutating func image(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, _ indices: [UInt8], palette: [[UInt8]]? = nil,
        isInterlaced: Bool = false
    ) {
        descriptor(left, top, width, height, palette: palette, isInterlaced: isInterlaced)
        append(Self.lzw(indices))
    }

    mutating func descriptor(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, palette: [[UInt8]]? = nil, isInterlaced: Bool = false
    ) {
        append([0x2C] + Self.word(left) + Self.word(top) + Self.word(width) + Self.word(height))
        append([(palette.map(Self.paletteFlags) ?? 0) | (isInterlaced ? 0x40 : 0)])
        for color in palette ?? [] { append(color) }
    }

    /// Returns LZW data of code size 3 with only literal codes. Clears the table before codes become wider.
    static func lzw(_ indices: [UInt8]) -> [UInt8] {
        var codes: [Int] = []
        for (position, index) in indices.enumerated() {
            if position % 6 == 0 { codes.append(8) }
            codes.append(Int(index))
        }
        return lzw(codes: codes + [9], codeSize: 3) { _ in 4 }
    }

    /// Returns LZW data with any codes. `width` gives the bits of the code at a position.
    static func lzw(codes: [Int], codeSize: Int, width: (Int) -> Int) -> [UInt8] {
        var bits: [Bool] = []
        for (position, code) in codes.enumerated() {
            for bit in 0..<width(position) { bits.append(code >> bit & 1 == 1) }
        }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: bits.count, by: 8) {
            var byte: UInt8 = 0
            for (offset, bit) in bits[start..<min(start + 8, bits.count)].enumerated() where bit { byte |= 1 << offset }
            bytes.append(byte)
        }
        var blocks: [UInt8] = [UInt8(codeSize)]
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let block = bytes[start..<min(start + 255, bytes.count)]
            blocks += [UInt8(block.count)] + block
        }
        return blocks + [0]
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    private static func paletteFlags(_ palette: [[UInt8]]) -> UInt8 {
        0x80 | UInt8(palette.count.trailingZeroBitCount - 1)
    }
}
