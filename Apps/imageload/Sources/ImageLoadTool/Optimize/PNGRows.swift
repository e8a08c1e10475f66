import CImageLoadTool
import Foundation
import ImageCore

/// The rows of a PNG file before they are filtered.
struct PNGRows {
    var depth: Int
    /// 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGBA.
    var colorType: Int
    /// The length of a row in bytes.
    var byteCount: Int
    var pixelByteCount: Int
    var height: Int
    var bytes: [UInt8]
    /// Red, green and blue of each color.
    var palette = Data()
    /// The alpha values of the first colors of the palette.
    var transparency = Data()

    /// Returns the rows filtered, or nil if memory is exhausted.
    func filtered(_ strategy: Int) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: (byteCount + 1) * height)
        let isGood = unsafe tool_filter(bytes, byteCount, height, pixelByteCount, CInt(strategy), &result)
        return isGood != 0 ? result : nil
    }
}

extension PNGRows {
    /// Creates rows with as few channels and bits as the pixels allow.
    ///
    /// - Parameter isGray: Whether to store gray, which all pixels must be.
    init(_ bitmap: Bitmap, isGray: Bool) {
        let pixels = bitmap.pixels
        let channels = isGray ? (bitmap.isOpaque ? [0] : [0, 3]) : bitmap.isOpaque ? [0, 1, 2] : [0, 1, 2, 3]
        var samples: [UInt8] = []
        samples.reserveCapacity(bitmap.size.area * channels.count)
        for start in stride(from: 0, to: pixels.count, by: 4) {
            for channel in channels { samples.append(pixels[start + channel]) }
        }
        self.init(
            depth: 8, colorType: [1: 0, 2: 4, 3: 2, 4: 6][channels.count] ?? 6,
            byteCount: bitmap.size.width * channels.count, pixelByteCount: channels.count, height: bitmap.size.height,
            bytes: samples)
        guard channels == [0] else { return }
        for bits in [1, 2, 4] {
            let step = UInt8(255 / (1 << bits - 1))
            guard samples.allSatisfy({ $0 % step == 0 }) else { continue }
            pack(samples.map { $0 / step }, bits: bits, width: bitmap.size.width)
            return
        }
    }

    /// Stores values with fewer than 8 bits, the first one in the highest bits of a byte (W3C PNG, section 7.2).
    mutating func pack(_ values: [UInt8], bits: Int, width: Int) {
        let perByte = 8 / bits
        depth = bits
        byteCount = (width + perByte - 1) / perByte
        bytes = [UInt8](repeating: 0, count: byteCount * height)
        for y in 0..<height {
            for x in 0..<width {
                bytes[y * byteCount + x / perByte] |= values[y * width + x] << (8 - bits - x % perByte * bits)
            }
        }
    }
}

/// The colors of an image that has at most 256.
struct PNGPalette {
    let rows: PNGRows

    init?(_ bitmap: Bitmap) {
        let pixels = bitmap.pixels
        let colors = stride(from: 0, to: pixels.count, by: 4).lazy.map { start in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(pixels[start + $1]) }
        }
        var found: Set<UInt32> = []
        for color in colors where found.insert(color).inserted {
            if found.count > 256 { return nil }
        }
        // Transparent colors first, because only they have alpha values; then from dark to bright.
        let sorted = found.sorted { Self.order($0) < Self.order($1) }
        let indices = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, UInt8($0)) })
        let values = colors.map { indices[$0] ?? 0 }
        let size = bitmap.size
        var rows = PNGRows(
            depth: 8, colorType: 3, byteCount: size.width, pixelByteCount: 1, height: size.height, bytes: Array(values))
        if let bits = [1, 2, 4].first(where: { sorted.count <= 1 << $0 }) {
            rows.pack(rows.bytes, bits: bits, width: size.width)
        }
        for color in sorted {
            rows.palette += [UInt8(color >> 24), UInt8(color >> 16 & 255), UInt8(color >> 8 & 255)]
            if color & 255 != 255 { rows.transparency.append(UInt8(color & 255)) }
        }
        self.rows = rows
    }

    private static func order(_ color: UInt32) -> UInt64 {
        let luma = 2 * (color >> 24) + 5 * (color >> 16 & 255) + (color >> 8 & 255)
        let isOpaque: UInt64 = color & 255 == 255 ? 1 << 63 : 0
        return isOpaque | UInt64(luma) << 32 | UInt64(color)
    }
}

extension Bitmap {
    /// Whether red, green and blue of each pixel are equal.
    var isGray: Bool {
        let pixels = pixels
        return stride(from: 0, to: pixels.count, by: 4).allSatisfy { start in
            let red = pixels[start]
            return red == pixels[start + 1] && red == pixels[start + 2]
        }
    }
}
