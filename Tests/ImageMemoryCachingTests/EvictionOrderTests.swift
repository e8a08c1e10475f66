import ImageMemoryCaching
import ImageTesting
import Testing

@Suite("How a cache calls its eviction order")
struct EvictionOrderTests {
    @Test("a hit counts before the next eviction", arguments: 0..<20)
    func countsHitsBeforeEviction(used: Int) {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 20))
        for key in 0..<20 { cache.insert(key, for: key) }
        #expect(cache.value(for: used) == used)
        for key in 20..<39 { cache.insert(key, for: key) }
        #expect((0..<20).filter { cache.value(for: $0) != nil } == [used])
    }

    @Test("a hit counts before a trim and before a limit is lowered")
    func countsHitsBeforeTrimming() {
        let shrink: [@Sendable (MemoryCache<Int, Int>) -> Void] = [
            { $0.trim(count: 1) }, { $0.limits.count = 1 }, { $0.limits.cost = 1 },
        ]
        for shrink in shrink {
            let cache = MemoryCache<Int, Int>(limits: CacheLimits())
            for key in 0..<10 { cache.insert(key, for: key) }
            #expect(cache.value(for: 0) == 0)
            shrink(cache)
            #expect((0..<10).filter { cache.value(for: $0) != nil } == [0])
        }
    }

    @Test("the order is called once for each event, and slots are reused")
    func passesEventsOn() {
        let log = MessageLog<String>()
        let policy = EvictionPolicy(name: "recorded") { RecordedOrder(log: log) }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 2), policy: policy)
        cache.insert(0, for: 0)
        cache.insert(1, for: 1)
        for key in [1, 0, 0, 7] { _ = cache.value(for: key) }
        cache.insert(2, for: 2)
        cache.removeValue(for: 1)
        cache.insert(3, for: 3)
        cache.limits.count = 1
        #expect(
            log.messages == [
                "limit 2", "insert 0", "insert 1", "use 1", "use 0", "use 0", "victim", "remove 0", "insert 0",
                "remove 1", "insert 1", "limit 1", "victim", "remove 0",
            ])
    }

    @Test("removing all values starts with a new order that has the current limits")
    func resetsOrder() {
        let log = MessageLog<String>()
        let policy = EvictionPolicy(name: "recorded") { RecordedOrder(log: log) }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 3), policy: policy)
        for key in 0..<3 { cache.insert(key, for: key) }
        cache.limits.count = 4
        cache.removeAll()
        cache.insert(0, for: 0)
        #expect(log.messages.suffix(3) == ["limit 4", "limit 4", "insert 0"])
    }

    /// Evicts the entry at slot 0.
    private struct RecordedOrder: EvictionOrder {
        let log: MessageLog<String>
        mutating func setLimits(_ limits: CacheLimits) { log.append("limit \(limits.count)") }
        mutating func insert(_ entry: EvictionCandidate, at slot: Int) { log.append("insert \(slot)") }
        mutating func use(_ slot: Int) { log.append("use \(slot)") }
        mutating func remove(_ slot: Int) { log.append("remove \(slot)") }
        mutating func victim(for incoming: EvictionCandidate?) -> Int? {
            log.append("victim")
            return 0
        }
    }
}
