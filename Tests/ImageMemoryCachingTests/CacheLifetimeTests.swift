import ImageTesting
import Testing

@testable import ImageMemoryCaching

@Suite("Lifetimes in a memory cache")
struct CacheLifetimeTests {
    private let clock = ManualClock()

    private func makeCache() -> MemoryCache<Int, Int> {
        MemoryCache(limits: CacheLimits(cost: 1_000), clock: clock, lifetime: .seconds(10))
    }

    @Test("an entry is returned until it expires, and an insertion restarts its lifetime")
    func expires() {
        let cache = makeCache()
        cache.insert(1, cost: 3, for: 1)
        clock.advance(by: .seconds(5))
        cache.insert(2, cost: 4, for: 2)
        clock.advance(by: .seconds(4))
        #expect(cache.value(for: 1) == 1)
        clock.advance(by: .seconds(1))
        #expect(cache.value(for: 1) == nil)
        #expect(cache.value(for: 2) == 2)
        #expect(cache.totalCost == 4)
        cache.insert(2, cost: 4, for: 2)
        clock.advance(by: .seconds(9))
        #expect(cache.value(for: 2) == 2)
    }

    @Test("insertions remove expired entries that nobody looks up")
    func sweeps() {
        let cache = makeCache()
        for key in 0..<100 { cache.insert(key, for: key) }
        clock.advance(by: .seconds(10))
        for key in 100..<150 { cache.insert(key, for: key) }
        #expect(cache.count == 50)
    }

    @Test("an evicted value that is in use is not found after it expires")
    func doesNotReviveExpired() {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(count: 1), policy: .lru, clock: clock, lifetime: .seconds(10),
            makeReference: WeakIndex<Int, Box>.weakReference)
        let held = Box()
        cache.insert(held, for: 1)
        cache.insert(Box(), for: 2)
        clock.advance(by: .seconds(9))
        #expect(cache.value(for: 1) === held)
        cache.insert(Box(), for: 2)
        clock.advance(by: .seconds(1))
        #expect(cache.value(for: 1) == nil)
    }

    @Test("references to values that were released don't add up")
    func forgetsReleased() {
        var index = WeakIndex<Int, Box>(WeakIndex<Int, Box>.weakReference)
        let held = Box()
        let candidate = EvictionCandidate(hash: 0, cost: 1)
        let record = EntryRecord(candidate: candidate, lastUse: nil, expiry: nil)
        for key in 0..<1_000 {
            var value = key == 0 ? held : Box()
            let other = value
            index.insert(&value, record, for: key)
            withExtendedLifetime(other) {}
        }
        #expect(index.lastUses.count < 200)
        #expect(index.find(0, at: nil)?.value === held)
    }

    private final class Box: Sendable {}
}

extension WeakIndex where Value: AnyObject {
    @Sendable static func weakReference(_ value: inout Value) -> (@Sendable () -> Value?)? {
        guard !isKnownUniquelyReferenced(&value) else { return nil }
        return { [weak value] in value }
    }
}
