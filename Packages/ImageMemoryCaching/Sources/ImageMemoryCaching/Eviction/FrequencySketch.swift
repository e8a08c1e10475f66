/// Estimates how often a hash was seen of late: a count-min sketch of four rows of 4-bit counters that are halved every so
/// often, so that what was popular long ago is forgotten. Never too low but by the halving.
///
/// Einziger, Friedman, Manes, "TinyLFU: A highly efficient cache admission policy", ACM Transactions on Storage 2017. The four
/// counters of a hash are in one block, so that looking them up waits for memory once: Putze, Sanders, Singler, "Cache-, hash- and
/// space-efficient Bloom filters", WEA 2007.
struct FrequencySketch {
    private static let most: UInt64 = 15
    /// How many times as many sightings as words there are between two halvings.
    private static let samplesPerWord = 10
    /// Where the bits of a hash begin that choose a row's counter. Those that choose the block are below.
    private static let counterBits: SIMD4<UInt64> = [48, 52, 56, 60]

    /// A word of sixteen counters for each row.
    private var blocks = [SIMD4<UInt64>](repeating: .zero, count: 4)
    private var sightings = 0

    /// Makes room for the frequencies of as many keys; what is known stays.
    mutating func reserve(_ count: Int) {
        while blocks.count * 4 < count { blocks += blocks }
    }

    mutating func see(_ hash: UInt64) {
        let (block, shifts) = position(hash)
        let isFull = counts(block, shifts) .== Self.most
        blocks[block] &+= SIMD4(repeating: 1).replacing(with: 0, where: isFull) &<< shifts
        sightings += 1
        if sightings >= blocks.count * 4 * Self.samplesPerWord { halve() }
    }

    func frequency(of hash: UInt64) -> Int {
        let (block, shifts) = position(hash)
        return Int(counts(block, shifts).min())
    }

    /// Says that a hash will be looked for soon.
    func expect(_ hash: UInt64) { blocks.prefetch(position(hash).block) }

    private mutating func halve() {
        for index in blocks.indices { blocks[index] = blocks[index] &>> 1 & 0x7777_7777_7777_7777 }
        sightings /= 2
    }

    private func counts(_ block: Int, _ shifts: SIMD4<UInt64>) -> SIMD4<UInt64> { blocks[block] &>> shifts & Self.most }

    private func position(_ hash: UInt64) -> (block: Int, shifts: SIMD4<UInt64>) {
        let counters = SIMD4(repeating: hash) &>> Self.counterBits & 15
        return (Int(truncatingIfNeeded: hash) & (blocks.count - 1), counters &<< 2)
    }
}
