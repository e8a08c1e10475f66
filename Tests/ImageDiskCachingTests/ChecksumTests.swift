import Foundation
import ImageTesting
import Testing

@testable import ImageDiskCaching

@Suite("Checksum of an entry")
struct ChecksumTests {
    private let page = noise(4_096 + 13, seed: 7)

    private func sums(_ bytes: Data) -> [UInt64] {
        var checksum = EntryChecksum()
        checksum.add(bytes)
        return checksum.sums
    }

    /// Returns the page with a bit flipped.
    private func flipped(_ bytes: Data, bit: Int) -> Data {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        return bytes
    }

    @Test("changes with each bit")
    func singleBits() {
        let intact = sums(page)
        let missed = (0..<page.count * 8).filter { sums(flipped(page, bit: $0)) == intact }
        #expect(missed.isEmpty)
    }

    @Test("changes with each pair of bits, the same or others of a word, at any distance", arguments: 0..<64)
    func pairs(bit: Int) {
        var random = SeededRandom(seed: UInt64(bit))
        let (intact, words) = (sums(page), page.count / 8)
        for _ in 0..<60 {
            let first = Int.random(in: 0..<words, using: &random)
            let isSameBit = Bool.random(using: &random)
            let other = isSameBit ? bit : Int.random(in: 0..<64, using: &random)
            let second = Int.random(in: 0..<words, using: &random)
            guard (first, bit) != (second, other) else { continue }
            let damaged = flipped(flipped(page, bit: first * 64 + bit), bit: second * 64 + other)
            #expect(sums(damaged) != intact, "bit \(bit) of word \(first), bit \(other) of word \(second)")
        }
    }

    @Test("changes if a bit is stuck in a page, in each byte or in each word", arguments: [1, 2, 4, 8, 16, 64])
    func stuckBits(stride width: Int) {
        for seed in 0..<4 as Range<UInt64> {
            let page = noise(4_096, seed: seed)
            let intact = sums(page)
            for (bit, isSet) in (0..<width * 8).flatMap({ [($0, true), ($0, false)] }) {
                let mask = UInt8(1) << (bit % 8)
                var stuck = page
                for byte in stride(from: bit / 8, to: page.count, by: width) {
                    stuck[byte] = isSet ? stuck[byte] | mask : stuck[byte] & ~mask
                }
                #expect((sums(stuck) != intact) == (stuck != page), "bit \(bit) is \(isSet), seed \(seed)")
            }
        }
    }

    @Test("changes with any damage within eight bytes")
    func bursts() {
        var random = SeededRandom(seed: 1)
        let intact = sums(page)
        for _ in 0..<2_000 {
            var damaged = page
            let start = Int.random(in: 0..<page.count - 8, using: &random)
            for byte in start..<start + 8 { damaged[byte] = .random(in: 0...255, using: &random) }
            #expect((sums(damaged) != intact) == (damaged != page), "at \(start)")
        }
    }

    @Test("is the same in whatever pieces the bytes are added")
    func pieces() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<50 {
            var checksum = EntryChecksum()
            var rest = page[...]
            while !rest.isEmpty {
                let count = Int.random(in: 0...min(rest.count, Bool.random(using: &random) ? 9 : 3_000), using: &random)
                checksum.add(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(checksum.sums == sums(page))
        }
    }
}
