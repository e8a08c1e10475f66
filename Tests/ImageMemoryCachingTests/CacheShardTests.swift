import ImageMemoryCaching
import ImageTesting
import Testing

@Suite("How hits reach the order of eviction")
struct CacheShardTests {
    @Test("every hit is told before the order chooses, in whatever shard it was", arguments: [1, 4, 16], 0..<20)
    func tellsHitsFirst(shards: Int, used: Int) {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 20), shards: shards)
        for key in 0..<20 { cache.insert(key, for: key) }
        #expect(cache.value(for: used) == used)
        for key in 20..<39 { cache.insert(key, for: key) }
        #expect((0..<20).filter { cache.value(for: $0) != nil } == [used])
    }

    @Test("nor is what was just used the first to go when the cache is made smaller", arguments: [1, 4])
    func tellsHitsBeforeTrimming(shards: Int) {
        let shrink: [@Sendable (MemoryCache<Int, Int>) -> Void] = [
            { $0.trim(count: 1) }, { $0.limits.count = 1 }, { $0.limits.cost = 1 },
        ]
        for shrink in shrink {
            let cache = MemoryCache<Int, Int>(limits: CacheLimits(), shards: shards)
            for key in 0..<10 { cache.insert(key, for: key) }
            #expect(cache.value(for: 0) == 0)
            shrink(cache)
            #expect((0..<10).filter { cache.value(for: $0) != nil } == [0])
        }
    }

    @Test("one entry may cost as much as all shards together may")
    func sharesOneLimit() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100), shards: 8)
        for key in 0..<10 { cache.insert(key, cost: 10, for: key) }
        cache.insert(10, cost: 100, for: 10)
        #expect(cache.value(for: 10) == 10)
        #expect((cache.totalCost, cache.count) == (100, 1))
    }

    @Test("what is asked of all entries is asked of all shards")
    func reachesAllShards() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(), shards: 5)
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

    /// Evicts place 0.
    private struct RecordedOrder: EvictionOrder {
        let log: MessageLog<String>
        var coldest: Int? { 0 }
        mutating func setLimits(_ limits: CacheLimits) {}
        mutating func insert(_ entry: EvictionCandidate, at place: Int) { log.append("insert \(place)") }
        mutating func use(_ place: Int) { log.append("use \(place)") }
        mutating func use(_ places: [Int]) { log.append("use \(places)") }
        mutating func remove(_ place: Int) { log.append("remove \(place)") }
        mutating func victim(for incoming: EvictionCandidate?) -> Int? {
            log.append("victim")
            return 0
        }
    }
}
