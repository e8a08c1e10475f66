/// 256 colors as RGBA bytes in memory order.
struct GIFPalette {
    private(set) var colors: [UInt32]

    /// Reads a palette. Indices beyond it are opaque black. Without a palette, indices are shades of gray.
    init(_ location: GIFPaletteLocation, in source: Span<UInt8>) {
        colors = [UInt32](repeating: Self.pixel(0, 0, 0), count: 256)
        for index in 0..<256 {
            let offset = location.offset + 3 * index
            if index < location.count, offset + 2 < source.count {
                colors[index] = Self.pixel(source[offset], source[offset + 1], source[offset + 2])
            } else if location.count == 0 {
                let gray = UInt8(index)
                colors[index] = Self.pixel(gray, gray, gray)
            }
        }
    }

    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000).littleEndian
    }
}
