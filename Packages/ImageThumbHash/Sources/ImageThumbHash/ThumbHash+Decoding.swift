public import ImageCore

extension ThumbHash {
    /// Returns the blurred image that the hash describes, with 32 pixels on its longer side.
    ///
    /// Scale it smoothly to the size of the view. Takes tens of microseconds, so you can call it while a view is configured.
    public func bitmap() -> Bitmap {
        let (channels, size) = (channels, decodedSize)
        let (columns, rows) = (Frequency.cosines(length: size.width), Frequency.cosines(length: size.height))
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for row in rows {
            for column in columns {
                let values = channels.map { $0.value(column, row) }
                let blue = values[0] - 2.0 / 3.0 * values[1]
                let red = (3 * values[0] - blue + values[2]) / 2
                for value in [red, red - values[2], blue, hasAlpha ? values[3] : 1] {
                    pixels.append(UInt8(255 * max(0, min(1, value))))
                }
            }
        }
        // With little transparency, no pixel may be left translucent.
        let isOpaque = stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
        return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
    }

    private var decodedSize: PixelSize {
        aspectRatio > 1
            ? PixelSize(width: 32, height: Int((32 / aspectRatio).rounded()))
            : PixelSize(width: Int((32 * aspectRatio).rounded()), height: 32)
    }

    /// The channels, in the order of the layout. Color is more saturated, because rounding takes saturation away.
    private var channels: [Channel] {
        let averages = [
            field(at: 0, bits: 6) / 63, field(at: 6, bits: 6) / 31.5 - 1, field(at: 12, bits: 6) / 31.5 - 1,
            field(at: 40, bits: 4) / 15,
        ]
        let scales = [
            field(at: 18, bits: 5) / 31, field(at: 27, bits: 6) / 63 * 1.25, field(at: 33, bits: 6) / 63 * 1.25,
            field(at: 44, bits: 4) / 15,
        ]
        var levels = bytes.dropFirst(layout.frequencyStart).flatMap { [$0 & 15, $0 >> 4] }[...]
        return layout.channels.indices.map { index in
            let frequencies = layout.channels[index]
            defer { levels = levels.dropFirst(frequencies.count) }
            return Channel(
                average: averages[index],
                terms: zip(frequencies, levels).map { ($0, (Double($1) / 7.5 - 1) * scales[index]) })
        }
    }

    /// Returns bits of the header as a whole number.
    private func field(at start: Int, bits: Int) -> Double {
        let header = bytes.prefix(6).reversed().reduce(0) { $0 << 8 | Int($1) }
        return Double(header >> start & (1 << bits - 1))
    }
}

/// A channel as a sum of cosines.
private struct Channel {
    let average: Double
    let terms: [(frequency: Frequency, magnitude: Double)]

    func value(_ column: [Double], _ row: [Double]) -> Double {
        terms.reduce(average) { $0 + $1.magnitude * column[$1.frequency.x] * (2 * row[$1.frequency.y]) }
    }
}
