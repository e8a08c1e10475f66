import ImageTesting
import Testing

@testable import ImageMemoryCaching

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

    @Test("a negative cost counts as 0")
    func negativeCost() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 10))
        cache.insert(1, cost: .min, for: 1)
        #expect(cache.totalCost == 0 && cache.value(for: 1) == 1)
        cache.insert(2, cost: 11, for: 2)
        #expect(cache.value(for: 2) == nil)
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
        cache.limits.cost = 10
        cache.limits.entryCost = 3
        for cost in 3...4 { cache.insert(cost, cost: cost, for: cost) }
        #expect(cache.value(for: 3) == 3 && cache.value(for: 4) == nil)
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

@Suite("Lifetimes in a memory cache")
struct CacheLifetimeTests {
    private let clock = ManualClock()

    private func makeCache() -> MemoryCache<Int, Int> {
        MemoryCache(limits: CacheLimits(cost: 1_000), clock: clock, lifetime: .seconds(10))
    }

    @Test("without a clock, the system's measures the lifetime", arguments: [0, 1_000_000])
    func systemClock(seconds: Int) {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 10), lifetime: .seconds(seconds))
        cache.insert(1, for: 1)
        #expect(cache.value(for: 1) == (seconds == 0 ? nil : 1))
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

    @Test("the predicate of a removal receives the time since a value was inserted or last found")
    func removesUnused() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 1_000), clock: clock)
        for key in 1...2 { cache.insert(key, for: key) }
        clock.advance(by: .seconds(5))
        #expect(cache.value(for: 1) == 1)
        clock.advance(by: .seconds(4))
        cache.removeAll { _, unused in (unused ?? .zero) > .seconds(5) }
        #expect(cache.value(for: 1) == 1 && cache.value(for: 2) == nil)
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

    @Test("an evicted value that is found has been used, also if it isn't inserted again", arguments: [1, 3])
    func usesRevived(cost: Int) {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(cost: 3, count: 1), policy: .lru, clock: clock, lifetime: nil,
            makeReference: WeakIndex<Int, Box>.weakReference)
        let held = Box()
        cache.insert(held, cost: cost, for: 1)
        cache.insert(Box(), for: 2)
        if cost == 3 { cache.limits = CacheLimits(cost: 2, count: 1) }
        clock.advance(by: .seconds(9))
        #expect(cache.value(for: 1) === held)
        #expect(cache.count == 1 && (cache.value(for: 2) == nil) == (cost == 1))
        cache.removeAll { _, unused in (unused ?? .zero) > .seconds(5) }
        #expect(cache.value(for: 1) === held)
    }

    @Test("evicted keys are remembered within the limits, in slots that are reused")
    func ghosts() {
        var ghosts = GhostQueue()
        for hash in 1...1_000 as ClosedRange<UInt64> { ghosts.append(hash, cost: 1, limits: CacheLimits(cost: 10)) }
        let hashes = Mirror(reflecting: ghosts).descendant("hashes") as? [UInt64]
        #expect(hashes?.count ?? .max <= 11)
        #expect((980...1_000).filter { ghosts.remove($0) } == Array(991...1_000 as ClosedRange<UInt64>))
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

@Suite("Removed values of a memory cache")
struct RemovedValuesTests {
    @Test("removed values are released without the lock", arguments: Removal.allCases, [1, 2, 5])
    func releasesWithoutLock(_ removal: Removal, count: Int) {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Visitor>(
            limits: CacheLimits(cost: 10), policy: .lru, clock: clock, lifetime: .seconds(10),
            makeReference: WeakIndex<Int, Visitor>.weakReference)
        let visits = Watched(0)
        for key in 0..<count {
            cache.insert(Visitor(cache, visits), cost: 10 / count, for: key)
        }
        if removal == .expiry { clock.advance(by: .seconds(10)) }
        remove(count, from: cache, by: removal, visits)
        #expect(visits.value == count)
    }

    enum Removal: CaseIterable {
        case eviction, replacement, refusal, removal, removalOfAll, predicate, expiry, trim, limit
    }

    private func remove(
        _ count: Int, from cache: MemoryCache<Int, Visitor>, by removal: Removal, _ visits: Watched<Int>
    ) {
        switch removal {
        case .eviction: cache.insert(Visitor(nil, visits), cost: 10, for: -1)
        case .replacement: for key in 0..<count { cache.insert(Visitor(nil, visits), for: key) }
        case .refusal: for key in 0..<count { cache.insert(Visitor(nil, visits), cost: 11, for: key) }
        case .removal: for key in 0..<count { cache.removeValue(for: key) }
        case .removalOfAll: cache.removeAll()
        case .predicate: cache.removeAll { key, _ in key < count }
        case .expiry: for key in 0..<count { _ = cache.value(for: key) }
        case .trim: cache.trim(count: 0)
        case .limit: cache.limits.cost = 0
        }
    }

    /// Calls the cache when it is deallocated.
    private final class Visitor: Sendable {
        private let cache: MemoryCache<Int, Visitor>?
        private let visits: Watched<Int>

        init(_ cache: MemoryCache<Int, Visitor>?, _ visits: Watched<Int>) {
            self.cache = cache
            self.visits = visits
        }

        deinit {
            guard let cache else { return }
            let isUsable = cache.count >= 0 && cache.value(for: -2) == nil
            visits.change { $0 += isUsable ? 1 : 0 }
        }
    }
}

@Suite("Stress of the memory cache, also for the thread sanitizer")
struct MemoryCacheStressTests {
    @Test(
        "while several threads use all operations, limits are never exceeded, and counts match the contents",
        arguments: PolicyCase.policies)
    func survivesEverythingAtOnce(_ policy: EvictionPolicy) async {
        let cache = MemoryCache<Int, Box>(
            limits: CacheLimits(cost: 500, count: 60), policy: policy, clock: ManualClock(), lifetime: nil,
            makeReference: WeakIndex<Int, Box>.weakReference)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask { Self.use(cache, seed: UInt64(task)) }
            }
        }
        let found = (0..<100).compactMap { cache.value(for: $0) }
        #expect(found.allSatisfy { $0.number % 100 == $0.key })
        cache.trim(toCost: 0)
        cache.trim(count: 0)
        #expect((cache.totalCost, cache.count) == (0, 0))
    }

    private static func use(_ cache: MemoryCache<Int, Box>, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var held: [Box] = []
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<100, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50: if let found = cache.value(for: key) { held.append(found) }
            case 50..<90:
                cache.insert(
                    Box(key: key, number: key + 100 * step), cost: Int.random(in: 0..<40, using: &random), for: key)
            case 90..<94: cache.removeValue(for: key)
            case 94..<96: cache.trim(toCost: 200)
            case 96: cache.limits.entryCost = Int.random(in: 20..<40, using: &random)
            case 97: cache.removeAll { other, _ in other == key }
            default: if key < 10 { cache.removeAll() }
            }
            if held.count > 10 { held.removeFirst() }
            #expect(cache.totalCost <= 500)
            #expect(cache.count <= 60)
        }
    }

    private final class Box: Sendable {
        let key: Int
        let number: Int

        init(key: Int, number: Int) { (self.key, self.number) = (key, number) }
    }
}
