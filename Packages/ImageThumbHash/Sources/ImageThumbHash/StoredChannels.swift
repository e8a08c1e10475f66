/// The channels that a hash stores.
struct StoredChannels {
    /// The factor by which a decoded image is more saturated, because rounding the frequencies takes saturation away.
    private static let saturation = 1.25

    private var luminance: CosineSeries
    private var yellowBlue: CosineSeries
    private var redGreen: CosineSeries
    private var alpha: CosineSeries

    /// Reads only the averages of a hash.
    init(averagesOf hash: ThumbHash) {
        luminance = CosineSeries(average: hash.field(at: 0, bits: 6) / 63)
        yellowBlue = CosineSeries(average: hash.field(at: 6, bits: 6) / 31.5 - 1)
        redGreen = CosineSeries(average: hash.field(at: 12, bits: 6) / 31.5 - 1)
        alpha = CosineSeries(average: hash.hasAlpha ? hash.field(at: 40, bits: 4) / 15 : 1)
    }

    init(_ hash: ThumbHash) {
        self.init(averagesOf: hash)
        let layout = hash.layout
        var levels = hash.levels[...]
        luminance.append(&levels, layout.luminance, scale: hash.field(at: 18, bits: 5) / 31)
        yellowBlue.append(&levels, layout.color, scale: hash.field(at: 27, bits: 6) / 63 * Self.saturation)
        redGreen.append(&levels, layout.color, scale: hash.field(at: 33, bits: 6) / 63 * Self.saturation)
        guard layout.hasAlpha else { return }
        alpha.append(&levels, layout.alpha, scale: hash.field(at: 44, bits: 4) / 15)
    }

    var averageColor: ThumbHash.Color {
        ThumbHash.Color(
            luminance: luminance.average, yellowBlue: yellowBlue.average, redGreen: redGreen.average,
            alpha: alpha.average)
    }

    /// Returns the color of a pixel, given the cosines of its column and its row.
    func color(_ column: ArraySlice<Double>, _ row: ArraySlice<Double>) -> ThumbHash.Color {
        ThumbHash.Color(
            luminance: luminance.value(column, row), yellowBlue: yellowBlue.value(column, row),
            redGreen: redGreen.value(column, row), alpha: alpha.value(column, row))
    }
}

extension ThumbHash {
    /// Returns bits of the header as a whole number.
    fileprivate func field(at start: Int, bits: Int) -> Double {
        let header = bytes.prefix(layout.frequencyStart).reversed().reduce(0) { $0 << 8 | Int($1) }
        return Double(header >> start & (1 << bits - 1))
    }

    /// The frequencies of all channels, from 0 to 15.
    fileprivate var levels: [UInt8] { bytes.dropFirst(layout.frequencyStart).flatMap { [$0 & 15, $0 >> 4] } }
}

/// A channel as a sum of cosines.
private struct CosineSeries {
    struct Term {
        let frequency: Frequency
        let magnitude: Double
    }

    let average: Double
    private var terms: [Term] = []

    init(average: Double) { self.average = average }

    /// Takes the frequencies of a grid from the front of the levels.
    mutating func append(_ levels: inout ArraySlice<UInt8>, _ grid: FrequencyGrid, scale: Double) {
        let frequencies = grid.frequencies
        terms = zip(frequencies, levels).map { Term(frequency: $0, magnitude: (Double($1) / 7.5 - 1) * scale) }
        levels.removeFirst(frequencies.count)
    }

    func value(_ column: ArraySlice<Double>, _ row: ArraySlice<Double>) -> Double {
        let (columnStart, rowStart) = (column.startIndex, row.startIndex)
        return terms.reduce(average) { sum, term in
            let (x, y) = (term.frequency.x, term.frequency.y)
            return sum + term.magnitude * column[columnStart + x] * (2 * row[rowStart + y])
        }
    }
}

/// The cosines of all frequencies at each position of a line of pixels.
struct CosineTable {
    /// One more than the largest frequency of a hash.
    private static let frequencyCount = 7

    private let cosines: [Double]

    init(length: Int) {
        cosines = (0..<length).flatMap { position in
            (0..<Self.frequencyCount).map { cosine(.pi / Double(length) * (Double(position) + 0.5) * Double($0)) }
        }
    }

    /// The cosines at a position, by frequency.
    subscript(position: Int) -> ArraySlice<Double> {
        cosines[position * Self.frequencyCount..<(position + 1) * Self.frequencyCount]
    }
}
