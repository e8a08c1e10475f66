/// The shape of a hash: what is stored, and where.
///
/// The bits of a hash, in little-endian order: the averages of luminance (6 bits), yellow-blue (6) and red-green (6), the
/// scale of luminance (5), whether there is alpha (1), the number of frequencies along the shorter side (3), the scales of
/// yellow-blue (6) and red-green (6), and whether the image is wider than high (1). With alpha, its average (4) and scale
/// (4) follow. Then follow the frequencies of each channel, with 4 bits each.
struct ThumbHashLayout: Hashable, Sendable {
    /// The number of bytes before that of alpha.
    static let headerLength = 5

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
        guard bytes.count >= Self.headerLength else {
            throw .wrongLength(bytes.count, expected: Self.headerLength)
        }
        self.init(hasAlpha: bytes[2] & 0x80 != 0, isLandscape: bytes[4] & 0x80 != 0, shorterCount: Int(bytes[3] & 7))
        guard (1...longerCount).contains(shorterCount) else { throw .invalidFrequencyCount(shorterCount) }
    }

    /// The number of frequencies of luminance along the longer side. With alpha there is less space for luminance.
    var longerCount: Int { Self.longerCount(hasAlpha: hasAlpha) }

    static func longerCount(hasAlpha: Bool) -> Int { hasAlpha ? 5 : 7 }

    /// The number of frequencies of luminance along the width, which is in proportion to the width.
    var columns: Int { isLandscape ? longerCount : shorterCount }
    /// The number of frequencies of luminance along the height.
    var rows: Int { isLandscape ? shorterCount : longerCount }

    var luminance: FrequencyGrid { FrequencyGrid(columns: max(3, columns), rows: max(3, rows)) }
    var color: FrequencyGrid { FrequencyGrid(columns: 3, rows: 3) }
    var alpha: FrequencyGrid { FrequencyGrid(columns: 5, rows: 5) }

    /// The index of the first byte with frequencies.
    var frequencyStart: Int { hasAlpha ? Self.headerLength + 1 : Self.headerLength }

    var byteCount: Int {
        let count = luminance.frequencies.count + 2 * color.frequencies.count
        return frequencyStart + (count + (hasAlpha ? alpha.frequencies.count : 0) + 1) / 2
    }
}

/// A pair of frequencies of a cosine transform, in half periods per side of the image.
struct Frequency: Hashable, Sendable {
    let x: Int
    let y: Int
}

/// The frequencies of a channel: the low ones of a grid, above the diagonal from the bottom left to the top right.
struct FrequencyGrid: Hashable, Sendable {
    let columns: Int
    let rows: Int

    /// The frequencies row by row, without the constant at (0, 0).
    var frequencies: [Frequency] {
        (0..<rows).flatMap { y in
            (0..<columns).filter { x in x * rows < columns * (rows - y) && (x, y) != (0, 0) }
                .map { x in Frequency(x: x, y: y) }
        }
    }
}
