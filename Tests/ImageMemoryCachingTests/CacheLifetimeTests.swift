import ImageMemoryCaching
import ImageTesting
import Testing

@Suite("Lifetimes and statistics of a memory cache")
struct CacheLifetimeTests {
    private let time = CacheTime()

    @Test("an entry is served until its time is over, and no longer", arguments: [1, 4])
    func expires(readers: Int) {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10)), readers: readers)
        cache.insert(1, cost: 3, for: 1)
        time.now = .seconds(5)
        cache.insert(2, cost: 4, for: 2)
        time.now = .seconds(9)
        #expect(cache.value(for: 1) == 1)
        time.now = .seconds(10)
        #expect(cache.value(for: 1) == nil)
        #expect(cache.value(for: 2) == 2)
        #expect(cache.totalCost == 4)
        #expect(cache.statistics.evictions[.expiry] == 1)
        #expect(cache.statistics.misses == 1)
    }

    @Test("a use extends the time where it is the time without a use", arguments: [1, 4])
    func extendsByUse(readers: Int) {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10), isExtendedByUse: true), readers: readers)
        cache.insert(1, for: 1)
        cache.insert(2, for: 2)
        time.now = .seconds(9)
        #expect(cache.value(for: 1) == 1)
        time.now = .seconds(18)
        #expect(cache.value(for: 1) == 1)
        #expect(cache.value(for: 2) == nil)
    }

    @Test("an entry's own lifetime goes before that of the cache, and an insertion starts it anew")
    func takesOwnLifetime() {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10)))
        cache.insert(1, lifetime: EntryLifetime(.seconds(2)), for: 1)
        cache.insert(2, lifetime: .unlimited, for: 2)
        cache.insert(3, for: 3)
        time.now = .seconds(2)
        #expect(cache.value(for: 1) == nil)
        cache.insert(3, for: 3)
        time.now = .seconds(11)
        #expect(cache.value(for: 3) == 3)
        time.now = .seconds(1_000_000)
        #expect(cache.value(for: 2) == 2)
    }

    @Test(
        "entries whose time is over leave with the insertions of others, or all at once on request", arguments: [1, 4])
    func sweeps(readers: Int) {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10)), readers: readers)
        for key in 0..<100 { cache.insert(key, for: key) }
        time.now = .seconds(10)
        for key in 100..<110 { cache.insert(key, for: key) }
        #expect(cache.count < 100)
        cache.removeExpired()
        #expect(cache.count == 10)
        #expect(cache.statistics.evictions[.expiry] == 100)
    }

    @Test("an evicted value that is in use is not found again once its time is over")
    func doesNotReviveExpired() {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(count: 1), clock: time.clock, lifetime: EntryLifetime(.seconds(10)), weakForm: .object)
        let held = Box()
        cache.insert(held, for: 1)
        cache.insert(Box(), for: 2)
        time.now = .seconds(9)
        #expect(cache.value(for: 1) === held)
        cache.insert(Box(), for: 2)
        time.now = .seconds(10)
        #expect(cache.value(for: 1) == nil)
    }

    @Test("hits, misses and evictions are counted, each by its cause")
    func counts() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 10, count: 3, entryCost: 8))
        cache.insert(1, cost: 5, for: 1)
        cache.insert(2, cost: 5, for: 2)
        cache.insert(3, cost: 1, for: 3)  // 1 goes: cost
        cache.insert(4, cost: 1, for: 4)
        cache.insert(5, cost: 1, for: 5)  // 2 goes: count
        cache.insert(6, cost: 9, for: 6)  // refused
        cache.trim(toCost: 2)  // 3 goes
        cache.trim(toCost: 1, cause: .pressure)  // 4 goes
        _ = [1, 5, 5].map { cache.value(for: $0) }
        let statistics = cache.statistics
        #expect(
            statistics.evictions == [
                .cost: 1, .count: 1, .entryLimit: 1, .admission: 0, .expiry: 0, .trim: 1, .pressure: 1,
            ])
        #expect((statistics.hits, statistics.misses) == (2, 1))
        #expect(statistics.hitRatio == 2.0 / 3)
        #expect((statistics.totalCost, statistics.count) == (1, 1))
        #expect(statistics.coldestAge == nil)
    }

    @Test(
        "the age of the coldest entry is the time since the use of what the policy looks at first", arguments: [1, 4])
    func tellsColdestAge(readers: Int) {
        let cache = makeCache(lifetime: nil, readers: readers)
        #expect(cache.statistics.coldestAge == nil)
        cache.insert(1, for: 1)
        time.now = .seconds(3)
        cache.insert(2, for: 2)
        #expect(cache.statistics.coldestAge == .seconds(3))
        time.now = .seconds(5)
        _ = cache.value(for: 1)
        time.now = .seconds(10)
        #expect(cache.statistics.coldestAge == .seconds(7))
    }

    private func makeCache(lifetime: EntryLifetime?, readers: Int = 1) -> MemoryCache<Int, Int> {
        MemoryCache(limits: CacheLimits(cost: 1_000), clock: time.clock, lifetime: lifetime, readers: readers)
    }

    private final class Box: Sendable {}
}
