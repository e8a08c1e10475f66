/// Estimates how often a hash was counted recently: a count-min sketch of four rows with 4-bit counters.
///
/// All counters are halved periodically, so that old counts lose weight. Otherwise, an estimate is never too low. See
/// Einziger et al., "TinyLFU", ACM Transactions on Storage 2017. The four counters of a hash are in one block: Putze et
/// al., "Cache-, hash- and space-efficient Bloom filters", WEA 2007.
struct FrequencySketch {
    private static let maxCount: UInt64 = 15
    /// The number of counts per word after which counters are halved.
    private static let countsPerWord = 10
    /// The lowest bits of the hash that choose the counter in each row. Lower bits of the hash choose the block.
    private static let counterBits: SIMD4<UInt64> = [48, 52, 56, 60]

    /// Each block has one word of sixteen counters for each row.
    private var blocks = [SIMD4<UInt64>](repeating: .zero, count: 4)
    private var total = 0

    /// Enlarges the sketch for a number of hashes and keeps its estimates.
    mutating func reserve(_ count: Int) {
        while blocks.count * 4 < count { blocks += blocks }
    }

    mutating func count(_ hash: UInt64) {
        let (block, shifts) = position(hash)
        let isFull = counts(block, shifts) .== Self.maxCount
        blocks[block] &+= SIMD4(repeating: 1).replacing(with: 0, where: isFull) &<< shifts
        total += 1
        if total >= blocks.count * 4 * Self.countsPerWord { halve() }
    }

    func frequency(of hash: UInt64) -> Int {
        let (block, shifts) = position(hash)
        return Int(counts(block, shifts).min())
    }

    private mutating func halve() {
        for index in blocks.indices { blocks[index] = blocks[index] &>> 1 & 0x7777_7777_7777_7777 }
        total /= 2
    }

    private func counts(_ block: Int, _ shifts: SIMD4<UInt64>) -> SIMD4<UInt64> {
        blocks[block] &>> shifts & Self.maxCount
    }

    private func position(_ hash: UInt64) -> (block: Int, shifts: SIMD4<UInt64>) {
        let counters = SIMD4(repeating: hash) &>> Self.counterBits & 15
        return (Int(truncatingIfNeeded: hash) & (blocks.count - 1), counters &<< 2)
    }
}
