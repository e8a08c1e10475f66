import ImageMemoryCaching
import ImageTesting
import Testing

@Suite("Lifetimes and statistics of a memory cache")
struct CacheLifetimeTests {
    private let time = CacheTime()

    @Test("an entry is returned until it expires")
    func expires() {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10)))
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

    @Test("a hit restarts a lifetime that is extended by use")
    func extendsByUse() {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10), isExtendedByUse: true))
        cache.insert(1, for: 1)
        cache.insert(2, for: 2)
        time.now = .seconds(9)
        #expect(cache.value(for: 1) == 1)
        time.now = .seconds(18)
        #expect(cache.value(for: 1) == 1)
        #expect(cache.value(for: 2) == nil)
    }

    @Test("an entry's own lifetime overrides that of the cache, and an insertion restarts it")
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

    @Test("insertions remove a few expired entries, and removeExpired removes all")
    func sweeps() {
        let cache = makeCache(lifetime: EntryLifetime(.seconds(10)))
        for key in 0..<100 { cache.insert(key, for: key) }
        time.now = .seconds(10)
        for key in 100..<110 { cache.insert(key, for: key) }
        #expect(cache.count < 100)
        cache.removeExpired()
        #expect(cache.count == 10)
        #expect(cache.statistics.evictions[.expiry] == 100)
    }

    @Test("an evicted value that is in use is not found after it expires")
    func doesNotReviveExpired() {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(count: 1), clock: time.clock, lifetime: EntryLifetime(.seconds(10)),
            weakReferences: .object)
        let held = Box()
        cache.insert(held, for: 1)
        cache.insert(Box(), for: 2)
        time.now = .seconds(9)
        #expect(cache.value(for: 1) === held)
        cache.insert(Box(), for: 2)
        time.now = .seconds(10)
        #expect(cache.value(for: 1) == nil)
    }

    @Test("an expired value that is in use does not replace an evicted one that can be found again")
    func remembersNoExpiredValue() {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(count: 1), clock: time.clock, weakReferences: .object, weakLimit: 1)
        let held = [Box(), Box()]
        cache.insert(held[0], for: 0)
        cache.insert(held[1], lifetime: EntryLifetime(.seconds(1)), for: 1)
        time.now = .seconds(1)
        cache.removeExpired()
        #expect(cache.value(for: 0) === held[0])
    }

    @Test("hits, misses and evictions are counted, each by its cause")
    func counts() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 10, count: 3, entryCost: 8))
        cache.insert(1, cost: 5, for: 1)
        cache.insert(2, cost: 5, for: 2)
        cache.insert(3, cost: 1, for: 3)  // evicts 1: cost
        cache.insert(4, cost: 1, for: 4)
        cache.insert(5, cost: 1, for: 5)  // evicts 2: count
        cache.insert(6, cost: 9, for: 6)  // refused
        cache.trim(toCost: 2)  // evicts 3
        cache.trim(toCost: 1, cause: .pressure)  // evicts 4
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

    @Test("the age of the coldest entry is the time since its last use")
    func computesColdestAge() {
        let cache = makeCache(lifetime: nil)
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

    private func makeCache(lifetime: EntryLifetime?) -> MemoryCache<Int, Int> {
        MemoryCache(limits: CacheLimits(cost: 1_000), clock: time.clock, lifetime: lifetime)
    }

    private final class Box: Sendable {}
}
