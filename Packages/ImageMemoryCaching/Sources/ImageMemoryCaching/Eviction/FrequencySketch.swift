/// Estimates how often a hash was seen of late: a count-min sketch of four rows of 4-bit counters that are halved every so
/// often, so that what was popular long ago is forgotten. Never too low but by the halving.
///
/// Einziger, Friedman, Manes, "TinyLFU: A highly efficient cache admission policy", ACM Transactions on Storage 2017.
struct FrequencySketch {
    private static let most: UInt64 = 15
    /// How many times as many sightings as counters of a row there are between two halvings.
    private static let samplesPerCounter = 10
    /// Odd numbers with bits as good as random, one for each row: those of the generator splitmix64 and its kin.
    private static let seeds: SIMD4<UInt64> = [
        0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0xD6E8_FEB8_6659_FD93,
    ]

    /// Sixteen counters each; row `r` has the counters 4r to 4r + 3 of each word.
    private var words = [UInt64](repeating: 0, count: 16)
    private var sightings = 0

    /// Makes room for the frequencies of as many keys; what is known stays.
    mutating func reserve(_ count: Int) {
        while words.count < count { words += words }
    }

    mutating func see(_ hash: UInt64) {
        for row in 0..<4 {
            let (index, shift) = position(hash, row)
            if words[index] >> shift & Self.most < Self.most { words[index] += 1 << shift }
        }
        sightings += 1
        if sightings >= words.count * Self.samplesPerCounter { halve() }
    }

    func frequency(of hash: UInt64) -> Int {
        var least = Self.most
        for row in 0..<4 {
            let (index, shift) = position(hash, row)
            least = min(least, words[index] >> shift & Self.most)
        }
        return Int(least)
    }

    private mutating func halve() {
        for index in words.indices { words[index] = words[index] >> 1 & 0x7777_7777_7777_7777 }
        sightings /= 2
    }

    private func position(_ hash: UInt64, _ row: Int) -> (index: Int, shift: UInt64) {
        let spread = hash &* Self.seeds[row]
        let mixed = spread ^ spread >> 32
        return (Int(truncatingIfNeeded: mixed) & (words.count - 1), (UInt64(row) * 4 + mixed >> 60 & 3) * 4)
    }
}
