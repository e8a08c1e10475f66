import ImageMemoryCaching
import ImageTesting
import Testing

@Suite("MemoryCache")
struct MemoryCacheTests {
    @Test("a replaced value no longer counts")
    func replaces() {
        let cache = MemoryCache<String, Int>(limits: CacheLimits(cost: 10))
        cache.insert(1, cost: 6, for: "a")
        cache.insert(2, cost: 9, for: "a")
        #expect(cache.totalCost == 9)
        #expect(cache.count == 1)
        #expect(cache.value(for: "a") == 2)
    }

    @Test(
        "a value above a limit is refused, evicts no other value, and removes the older one",
        arguments: [CacheLimits(cost: 10), CacheLimits(cost: 100, entryCost: 10)])
    func refuses(limits: CacheLimits) {
        let cache = MemoryCache<String, Int>(limits: limits)
        cache.insert(1, cost: 4, for: "a")
        cache.insert(2, cost: 4, for: "b")
        cache.insert(3, cost: 11, for: "b")
        #expect(cache.value(for: "a") == 1)
        #expect(cache.value(for: "b") == nil)
        #expect(cache.totalCost == 4)
    }

    @Test("the limit of the count applies in addition to that of the cost")
    func limitsCount() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100, count: 3))
        for number in 0..<5 { cache.insert(number, cost: 1, for: number) }
        #expect((0..<5).map { cache.value(for: $0) } == [nil, nil, 2, 3, 4])
        cache.limits.count = 0
        cache.insert(9, cost: 0, for: 9)
        #expect(cache.count == 0)
        #expect(cache.value(for: 9) == nil)
    }

    @Test("a lower limit evicts at once, trimming does not change limits, and a negative limit counts as 0")
    func lowersLimit() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 10))
        for number in 0..<10 { cache.insert(number, for: number) }
        cache.limits.cost = 7
        #expect(cache.count == 7)
        cache.trim(toCost: 5)
        #expect(cache.count == 5)
        cache.trim(count: 2)
        #expect((0..<10).compactMap { cache.value(for: $0) } == [8, 9])
        #expect(cache.limits == CacheLimits(cost: 7))
        cache.limits = CacheLimits(cost: -1)
        #expect(cache.limits.cost == 0)
        #expect(cache.count == 0)
        cache.limits.cost = -2
        cache.insert(1, cost: 0, for: 1)
        #expect(cache.limits.cost == 0)
        #expect(cache.count == 1)
    }

    @Test("values are removed by key, by predicate, and all at once")
    func removes() {
        let cache = MemoryCache<Int, String>(limits: CacheLimits(count: 10))
        for number in 0..<10 { cache.insert("\(number)", for: number) }
        #expect(cache.removeValue(for: 3) == "3")
        #expect(cache.removeValue(for: 3) == nil)
        cache.removeAll { key, _ in key.isMultiple(of: 2) }
        #expect((0..<10).filter { cache.value(for: $0) != nil } == [1, 5, 7, 9])
        #expect(cache.totalCost == 4)
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.totalCost == 0)
    }

    @Test("keys with the same hash are distinct")
    func collides() {
        let cache = MemoryCache<Colliding, Int>(limits: CacheLimits(count: 50))
        for number in 0..<100 { cache.insert(number, for: Colliding(number: number)) }
        for number in stride(from: 50, to: 100, by: 3) { cache.removeValue(for: Colliding(number: number)) }
        for number in 0..<100 {
            let isKept = number >= 50 && (number - 50) % 3 != 0
            #expect(cache.value(for: Colliding(number: number)) == (isKept ? number : nil))
        }
    }

    private struct Colliding: Hashable {
        var number: Int
        var hashValue: Int { 1 }
        func hash(into hasher: inout Hasher) {}
    }
}
