import Foundation
import ImageTesting
import Testing

@testable import ImageMemoryCaching

@Suite("How hits reach the order of eviction")
struct HitOrderTests {
    @Test("every hit is told before the order chooses", arguments: [1, 4, 16], 0..<20)
    func tellsHitsFirst(readers: Int, used: Int) {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 20), readers: readers)
        for key in 0..<20 { cache.insert(key, for: key) }
        #expect(cache.value(for: used) == used)
        for key in 20..<39 { cache.insert(key, for: key) }
        #expect((0..<20).filter { cache.value(for: $0) != nil } == [used])
    }

    @Test("nor is what was just used the first to go when the cache is made smaller", arguments: [1, 4])
    func tellsHitsBeforeTrimming(readers: Int) {
        let shrink: [@Sendable (MemoryCache<Int, Int>) -> Void] = [
            { $0.trim(count: 1) }, { $0.limits.count = 1 }, { $0.limits.cost = 1 },
        ]
        for shrink in shrink {
            let cache = MemoryCache<Int, Int>(limits: CacheLimits(), readers: readers)
            for key in 0..<10 { cache.insert(key, for: key) }
            #expect(cache.value(for: 0) == 0)
            shrink(cache)
            #expect((0..<10).filter { cache.value(for: $0) != nil } == [0])
        }
    }

    @Test("one entry may cost as much as all readers together may")
    func sharesOneLimit() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100), readers: 8)
        for key in 0..<10 { cache.insert(key, cost: 10, for: key) }
        cache.insert(10, cost: 100, for: 10)
        #expect(cache.value(for: 10) == 10)
        #expect((cache.totalCost, cache.count) == (100, 1))
    }

    @Test("what is asked of all entries is asked of all readers")
    func reachesAll() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(), readers: 5)
        for key in 0..<100 { cache.insert(key, for: key) }
        for key in 0..<100 { #expect(cache.value(for: key) == key) }
        #expect(cache.statistics.hits == 100)
        cache.removeAll { $0 % 2 == 0 }
        #expect((0..<100).filter { cache.value(for: $0) != nil } == Array(stride(from: 1, to: 100, by: 2)))
        cache.removeAll()
        #expect(cache.count == 0)
        cache.insert(7, for: 7)
        #expect(cache.value(for: 7) == 7)
    }

    @Test("hits are told in their order, together: when there are many, and before anything else is told or asked")
    func collectsHits() {
        let log = MessageLog<String>()
        let policy = EvictionPolicy(name: "recorded") { RecordedOrder(log: log) }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 2), policy: policy)
        cache.insert(0, for: 0)
        cache.insert(1, for: 1)
        for key in [1, 0, 0] { _ = cache.value(for: key) }
        cache.insert(2, for: 2)
        for _ in 0..<100 { _ = cache.value(for: 2) }
        #expect(
            log.messages == [
                "insert 0", "insert 1", "use [1, 0, 0]", "victim", "remove 0", "insert 0",
                "use \([Int](repeating: 0, count: 64))",
            ])
    }

    @Test("hits of several threads are told in the order in which they happened", arguments: [1, 2, 3, 4, 64])
    func ordersHitsOfThreads(readers: Int) async {
        for round in 0..<20 {
            let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 8), readers: readers)
            for key in 0..<8 { cache.insert(key, for: key) }
            let order = (0..<8).map { ($0 * 3 + round) % 8 }
            for key in order { #expect(await onNewThread { cache.value(for: key) } == key) }
            for left in 1...8 {
                cache.insert(-1, for: -left)
                #expect(keys(of: cache) == order.dropFirst(left).sorted())
            }
        }
    }

    @Test("a hit of another thread extends a lifetime before this one sees that it is over")
    func extendsLifetimeFromThreads() async {
        let time = CacheTime()
        let cache = MemoryCache<Int, Int>(
            limits: CacheLimits(), clock: time.clock, lifetime: EntryLifetime(.seconds(10), isExtendedByUse: true))
        cache.insert(1, for: 1)
        time.now = .seconds(9)
        #expect(await onNewThread { cache.value(for: 1) } == 1)
        time.now = .seconds(18)
        #expect(cache.value(for: 1) == 1)
        time.now = .seconds(27)
        #expect(cache.value(for: 1) == 1)
        time.now = .seconds(37)
        #expect(cache.value(for: 1) == nil)
        #expect(cache.statistics.hits == 3)
        #expect(cache.statistics.misses == 1)
        #expect(cache.statistics.evictions[.expiry] == 1)
    }

    @Test("of two threads' uses the later one extends a lifetime, whichever is told first")
    func extendsLifetimeOutOfOrder() async {
        let time = CacheTime()
        let cache = MemoryCache<Int, Int>(
            limits: CacheLimits(), clock: time.clock, lifetime: EntryLifetime(.seconds(10), isExtendedByUse: true),
            readers: 64)
        cache.insert(1, for: 1)
        let (isFirst, isUsed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first = onNewThread {
            // Its number is lower than that of the thread that uses the entry before it.
            _ = cache.value(for: 0)
            isFirst.signal()
            isUsed.wait()
            time.now = .seconds(9)
            return cache.value(for: 1)
        }
        await onNewThread {
            isFirst.wait()
            time.now = .seconds(5)
            _ = cache.value(for: 1)
            isUsed.signal()
        }
        #expect(await first == 1)
        time.now = .seconds(18)
        #expect(cache.value(for: 1) == 1)
    }

    @Test("when entries were used is told before it takes much memory")
    func tellsMoments() {
        let time = CacheTime()
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(), clock: time.clock)
        cache.insert(1, for: 1)
        time.now = .seconds(3)
        for _ in 0..<2_048 { #expect(cache.value(for: 1) == 1) }
        #expect(cache.entries.look { $0.times(of: 0)?.lastUse } == .seconds(3))
    }

    @Test(
        "nobody who finds something waits for another thread that tells of hits; what can't be kept meanwhile is counted"
    )
    func findsWhileHitsAreTold() async {
        let (log, tells, goOn) = (MessageLog<String>(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let policy = EvictionPolicy(name: "waiting") {
            RecordedOrder(log: log) { places in
                guard places.count == 64 else { return }
                tells.signal()
                goOn.wait()
            }
        }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(), policy: policy, readers: 64)
        cache.insert(0, for: 0)
        async let first = onNewThread { (0..<64).count { _ in cache.value(for: 0) == 0 } }
        let second = await onNewThread {
            tells.wait()
            defer { goOn.signal() }
            return (0..<600).count { _ in cache.value(for: 0) == 0 }
        }
        #expect(await first + second == 664)
        #expect(cache.statistics.hits == 664)
        let told = [64, 512].map { "use \([Int](repeating: 0, count: $0))" }
        #expect(log.messages == ["insert 0"] + told)
    }

    /// The keys that are not negative, without a use of any.
    private func keys(of cache: MemoryCache<Int, Int>) -> [Int] {
        var keys: [Int] = []
        cache.removeAll { key in
            if key >= 0 { keys.append(key) }
            return false
        }
        return keys.sorted()
    }

    private func onNewThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in Thread { continuation.resume(returning: body()) }.start() }
    }

    /// Evicts place 0.
    private struct RecordedOrder: EvictionOrder {
        let log: MessageLog<String>
        var whileTold: @Sendable ([Int]) -> Void = { _ in }
        var coldest: Int? { 0 }
        mutating func setLimits(_ limits: CacheLimits) {}
        mutating func insert(_ entry: EvictionCandidate, at place: Int) { log.append("insert \(place)") }
        mutating func use(_ place: Int) { log.append("use \(place)") }
        mutating func use(_ places: [Int]) {
            log.append("use \(places)")
            whileTold(places)
        }
        mutating func remove(_ place: Int) { log.append("remove \(place)") }
        mutating func victim(for incoming: EvictionCandidate?) -> Int? {
            log.append("victim")
            return 0
        }
    }
}
