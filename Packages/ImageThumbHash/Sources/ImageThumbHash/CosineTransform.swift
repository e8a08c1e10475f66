import ImageCore

/// The low frequencies of a channel: its discrete cosine transform (DCT-II), scaled to 4 bits per frequency.
///
/// The order of the operations is that of the reference implementation, because a frequency that an image doesn't have
/// is halfway between two levels.
struct CosineTransform {
    /// The average of the channel.
    let average: Double
    /// The largest magnitude of a frequency.
    let scale: Double
    /// The frequencies from 0 (`-scale`) to 15 (`scale`); 0 if all of them are zero.
    let levels: [Int]

    init(of samples: [Double], _ size: PixelSize, _ grid: FrequencyGrid) {
        let columns = (0..<grid.columns).map { Self.cosines($0, length: size.width) }
        let rows = (0..<grid.rows).map { Self.cosines($0, length: size.height) }
        let magnitudes = grid.frequencies.map { Self.mean(of: samples, columns[$0.x], rows[$0.y]) }
        let scale = magnitudes.reduce(0) { max($0, abs($1)) }
        average = Self.mean(of: samples, columns[0], rows[0])
        levels = magnitudes.map { scale == 0 ? 0 : Int((15 * (0.5 + 0.5 / scale * $0)).rounded()) }
        self.scale = scale
    }

    private static func cosines(_ frequency: Int, length: Int) -> [Double] {
        (0..<length).map { cosine(.pi / Double(length) * Double(frequency) * (Double($0) + 0.5)) }
    }

    /// Returns the mean of the samples times the cosines.
    private static func mean(of samples: [Double], _ columns: [Double], _ rows: [Double]) -> Double {
        var sum = 0.0
        var index = 0
        for row in rows {
            for column in columns {
                sum += samples[index] * column * row
                index += 1
            }
        }
        return sum / Double(samples.count)
    }
}
