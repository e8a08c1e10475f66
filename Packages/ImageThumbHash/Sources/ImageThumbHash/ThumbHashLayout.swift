#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The shape of a hash: what is stored, and where.
///
/// The bits of a hash, in little-endian order: the averages of luminance (6 bits), yellow-blue (6) and red-green (6), the
/// scale of luminance (5), whether there is alpha (1), the number of frequencies along the shorter side (3), the scales of
/// yellow-blue (6) and red-green (6), and whether the image is wider than high (1). With alpha, its average (4) and scale
/// (4) follow. Then follow the frequencies of each channel, with 4 bits each.
struct ThumbHashLayout: Hashable, Sendable {
    let hasAlpha: Bool
    let isLandscape: Bool
    /// The number of frequencies of luminance along the shorter side.
    let shorterCount: Int

    init(hasAlpha: Bool, isLandscape: Bool, shorterCount: Int) {
        self.hasAlpha = hasAlpha
        self.isLandscape = isLandscape
        self.shorterCount = shorterCount
    }

    /// Reads the layout from the first bytes of a hash.
    init(header bytes: [UInt8]) throws(ThumbHashError) {
        guard bytes.count >= 5 else { throw .wrongLength(bytes.count, expected: 5) }
        self.init(hasAlpha: bytes[2] & 0x80 != 0, isLandscape: bytes[4] & 0x80 != 0, shorterCount: Int(bytes[3] & 7))
        guard (1...longerCount).contains(shorterCount) else { throw .invalidFrequencyCount(shorterCount) }
    }

    /// The number of frequencies of luminance along the longer side. With alpha there is less space for luminance.
    private var longerCount: Int { hasAlpha ? 5 : 7 }
    /// The number of frequencies of luminance along the width, which is in proportion to the width.
    var columns: Int { isLandscape ? longerCount : shorterCount }
    /// The number of frequencies of luminance along the height.
    var rows: Int { isLandscape ? shorterCount : longerCount }

    /// The frequencies of luminance, yellow-blue, red-green and, if there is any, alpha.
    var channels: [[Frequency]] {
        let color = Frequency.grid(columns: 3, rows: 3)
        return [Frequency.grid(columns: max(3, columns), rows: max(3, rows)), color, color]
            + (hasAlpha ? [Frequency.grid(columns: 5, rows: 5)] : [])
    }

    /// The index of the first byte with frequencies.
    var frequencyStart: Int { hasAlpha ? 6 : 5 }

    var byteCount: Int { frequencyStart + (channels.reduce(0) { $0 + $1.count } + 1) / 2 }
}

/// A pair of frequencies of a cosine transform, in half periods per side of the image.
struct Frequency {
    let x: Int
    let y: Int

    /// Returns the low frequencies of a channel, row by row, without the constant at (0, 0).
    static func grid(columns: Int, rows: Int) -> [Frequency] {
        (0..<rows).flatMap { y in
            (0..<columns).filter { x in x * rows < columns * (rows - y) && (x, y) != (0, 0) }
                .map { x in Frequency(x: x, y: y) }
        }
    }

    /// Returns the cosines of the frequencies from 0 to 6, at each position of a line of pixels.
    static func cosines(length: Int) -> [[Double]] {
        (0..<length).map { position in
            (0..<7).map { cos(.pi / Double(length) * Double($0) * (Double(position) + 0.5)) }
        }
    }
}
