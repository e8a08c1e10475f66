import ImageTesting
import Testing

@testable import ImageMemoryCaching

@Suite("Frequency estimates")
struct FrequencySketchTests {
    @Test("estimates saturate at fifteen, and don't affect adjacent counters")
    func saturates() {
        var sketch = FrequencySketch()
        for _ in 0..<100 { sketch.count(0x1111_0000_0000_0000) }
        #expect(sketch.frequency(of: 0x1111_0000_0000_0000) == 15)
        #expect(sketch.frequency(of: 0x2222_0000_0000_0000) == 0)
        #expect(sketch.frequency(of: 0x1111_0000_0000_0001) == 0)
    }

    @Test("an estimate is never too low, and mostly exact if there are no more keys than reserved")
    func estimates() {
        var random = SeededRandom(seed: 1)
        let hashes = (0..<1_000).map { _ in random.next() }
        var sketch = FrequencySketch()
        sketch.reserve(hashes.count)
        for (number, hash) in hashes.enumerated() {
            for _ in 0...number % 4 { sketch.count(hash) }
        }
        let errors = hashes.indices.map { sketch.frequency(of: hashes[$0]) - (1 + $0 % 4) }
        #expect(errors.allSatisfy { $0 >= 0 })
        #expect(errors.count { $0 > 0 } < 10)
    }

    @Test("reserving more keeps the estimates, and many later counts halve them")
    func growsAndForgets() {
        var sketch = FrequencySketch()
        for _ in 0..<8 { sketch.count(1 << 40 | 5) }
        sketch.reserve(10_000)
        #expect(sketch.frequency(of: 1 << 40 | 5) == 8)
        var smallSketch = FrequencySketch()
        for _ in 0..<8 { smallSketch.count(5) }
        for _ in 0..<152 { smallSketch.count(6) }
        #expect(smallSketch.frequency(of: 5) == 4)
    }
}
