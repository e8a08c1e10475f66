import ImageCore
import ImageMemoryCaching
import ImageTesting
import Testing

/// A policy and a simple model of it.
struct PolicyCase: CustomTestStringConvertible {
    var policy: EvictionPolicy
    var makeModel: @Sendable (Int) -> any EvictionModel
    var testDescription: String { policy.name }

    static let all = [
        PolicyCase(policy: .lru) { LRUModel(limit: $0) },
        PolicyCase(policy: .s3FIFO) { S3FIFOModel(limit: $0) },
        PolicyCase(policy: .lfu) { LFUModel(limit: $0) },
        PolicyCase(policy: .gdsf) { GDSFModel(limit: $0) },
    ]

    /// All policies, including the one without a model.
    static let policies = all.map(\.policy) + [.twoBudgets()]
}

@Suite("Eviction policies")
struct EvictionPolicyTests {
    @Test(
        "each policy agrees with its simple model in 4,000 random accesses", arguments: PolicyCase.all, [7, 50, 1_000])
    func agreesWithModel(_ subject: PolicyCase, limit: Int) {
        var random = SeededRandom(seed: UInt64(limit))
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: limit), policy: subject.policy)
        var model = subject.makeModel(limit)
        for step in 0..<4_000 {
            // Squared, so that low numbers are more frequent.
            let share = Double.random(in: 0..<1, using: &random)
            let key = Int(share * share * Double(limit))
            let isHit = cache.value(for: key) != nil
            #expect(isHit == model.use(key), "access \(step) to \(key)")
            guard !isHit else { continue }
            let cost = 1 + key % 3
            cache.insert(step, cost: cost, for: key)
            model.insert(key, cost: cost)
            #expect(cache.totalCost == model.totalCost)
            #expect(cache.totalCost <= limit)
        }
    }

    @Test("limits and costs are exact after any sequence of operations", arguments: PolicyCase.policies)
    func staysWithinLimits(_ policy: EvictionPolicy) {
        var random = SeededRandom(seed: 4)
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100, count: 20), policy: policy)
        var costs: [Int: Int] = [:]
        for _ in 0..<3_000 {
            change(cache, &costs, &random)
            costs = costs.filter { cache.value(for: $0.key) != nil }
            #expect(cache.count == costs.count)
            #expect(cache.totalCost == costs.values.reduce(0, +))
            #expect(cache.totalCost <= cache.limits.cost)
            #expect(cache.count <= cache.limits.count)
        }
    }

    private func change(_ cache: MemoryCache<Int, Int>, _ costs: inout [Int: Int], _ random: inout SeededRandom) {
        let key = Int.random(in: 0..<60, using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<30:
            costs[key] = Int.random(in: 0...30, using: &random)
            cache.insert(key, cost: costs[key] ?? 0, for: key)
        case 30..<36: cache.removeValue(for: key)
        case 36: cache.limits.cost = Int.random(in: 0...120, using: &random)
        case 37: cache.limits.count = Int.random(in: 0...30, using: &random)
        case 38: cache.trim(toCost: Int.random(in: 0...100, using: &random))
        default: if key == 0 { cache.removeAll() }
        }
    }

    @Test(
        "a scan of entries that are requested once does not evict entries that are requested often",
        arguments: [EvictionPolicy.s3FIFO, .lfu])
    func resistsScans(_ policy: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 100), policy: policy)
        for _ in 0..<10 {
            for key in 0..<50 where cache.value(for: key) == nil { cache.insert(key, for: key) }
        }
        for key in 1_000..<2_000 { cache.insert(key, for: key) }
        #expect((0..<50).allSatisfy { cache.value(for: $0) != nil })
        #expect(cache.count == 100)
    }

    @Test("with two budgets, neither kind reduces the share of the other, and each can use the rest of the other share")
    func keepsTwoBudgets() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100), policy: .twoBudgets(preferredShare: 0.6))
        for key in 0..<100 { cache.insert(key, retention: .expendable, for: key) }
        #expect(cache.count == 100)
        for key in 100..<300 { cache.insert(key, retention: .preferred, for: key) }
        #expect((0..<100).filter { cache.value(for: $0) != nil } == Array(60..<100))
        for key in 300..<500 { cache.insert(key, retention: .expendable, for: key) }
        #expect((0..<300).filter { cache.value(for: $0) != nil } == Array(240..<300))
    }

    @Test(
        "S3-FIFO accepts entries larger than a tenth of the limit only while there is space"
    )
    func refusesLarge() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100), policy: .s3FIFO)
        cache.insert(0, cost: 11, for: 0)
        #expect(cache.value(for: 0) == 0)
        for key in 1...89 { cache.insert(key, for: key) }
        cache.insert(90, cost: 11, for: 90)
        #expect((0...90).filter { cache.value(for: $0) == nil } == [90])
        cache.insert(91, cost: 10, for: 91)
        #expect(cache.value(for: 91) == 91)
    }

    @Test(
        "S3-FIFO keeps the entries that filled it while others are requested once",
        arguments: [CacheLimits(cost: 10), CacheLimits(count: 10)])
    func keepsFirst(limits: CacheLimits) {
        let cache = MemoryCache<Int, Int>(limits: limits, policy: .s3FIFO)
        for key in 0..<30 { cache.insert(key, for: key) }
        #expect((1...9).allSatisfy { cache.value(for: $0) != nil })
    }

    @Test("GDSF refuses an entry that would be evicted first, until it has been inserted a few times")
    func refusesWorthless() {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 100), policy: .gdsf)
        for key in 0..<100 { cache.insert(key, for: key) }
        var attempts = 0
        while cache.value(for: 100) == nil, attempts < 50 {
            #expect(cache.count == 100)
            cache.insert(100, cost: 20, for: 100)
            attempts += 1
        }
        #expect((2..<50).contains(attempts))
    }

    @Test(
        "with GDSF, a preferred entry outlives a few times as many expendable ones",
        arguments: [(20, true), (1_000, false)])
    func weighsRetention(_ count: Int, isFound: Bool) {
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 10), policy: .gdsf)
        cache.insert(0, retention: .preferred, for: 0)
        for key in 1...count { cache.insert(key, retention: .expendable, for: key) }
        #expect((cache.value(for: 0) != nil) == isFound)
    }

    @Test("a custom policy is called through the protocol")
    func takesOwnPolicy() {
        let policy = EvictionPolicy(name: "newest first") { NewestFirst() }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 3), policy: policy)
        for number in 0..<6 { cache.insert(number, for: number) }
        #expect((0..<6).filter { cache.value(for: $0) != nil } == [0, 1, 5])
    }

    /// Evicts the newest entry, and refuses entries that cost 9 or more.
    private struct NewestFirst: EvictionOrder {
        private var slots: [Int] = []
        mutating func setLimits(_ limits: CacheLimits) {}
        mutating func insert(_ entry: EvictionCandidate, at slot: Int) { slots.append(slot) }
        mutating func use(_ slot: Int) {}
        mutating func remove(_ slot: Int) { slots.removeAll { $0 == slot } }
        mutating func victim(for incoming: EvictionCandidate?) -> Int? {
            (incoming?.cost ?? 0) >= 9 ? nil : slots.last
        }
    }

    @Test("a refused value is not stored, and the older value for its key is removed")
    func obeysRefusal() {
        let policy = EvictionPolicy(name: "newest first") { NewestFirst() }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 9), policy: policy)
        cache.insert(1, cost: 1, for: 1)
        cache.insert(2, cost: 1, for: 2)
        cache.insert(3, cost: 9, for: 2)
        #expect(cache.value(for: 1) == 1)
        #expect(cache.value(for: 2) == nil)
        #expect(cache.totalCost == 1)
    }
}

@Suite("How a cache calls its eviction order")
struct EvictionOrderTests {
    /// An order that always chooses one slot, even if that has no entry.
    private struct FixedOrder: EvictionOrder {
        let slot: Int?

        mutating func setLimits(_ limits: CacheLimits) {}
        mutating func insert(_ entry: EvictionCandidate, at slot: Int) {}
        mutating func use(_ slot: Int) {}
        mutating func remove(_ slot: Int) {}
        mutating func victim(for incoming: EvictionCandidate?) -> Int? { slot }
    }

    @Test(
        "an order that chooses no entry refuses new ones, and a trim evicts any",
        arguments: [nil, .min, -1, 0, 9, .max])
    func wrongOrder(slot: Int?) {
        let policy = EvictionPolicy(name: "fixed") { FixedOrder(slot: slot) }
        let cache = MemoryCache<String, Int>(limits: CacheLimits(count: 2), policy: policy)
        for name in ["a", "b"] { cache.insert(1, for: name) }
        cache.removeValue(for: "a")
        cache.limits.count = 1
        cache.insert(1, for: "c")
        #expect(cache.value(for: "b") == 1 && cache.value(for: "c") == nil)
        cache.trim(count: 0)
        #expect(cache.count == 0)
    }

    @Test(
        "limits of the cost hold, whatever slot an order chooses",
        arguments: [nil, .min, .min + 1, -1, 0, 1, 2, .max - 1, .max])
    func costLimits(slot: Int?) {
        let policy = EvictionPolicy(name: "fixed") { FixedOrder(slot: slot) }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(cost: 3), policy: policy)
        for number in 0..<9 { cache.insert(number, for: number) }
        #expect(cache.totalCost <= 3)
        cache.limits.cost = 1
        #expect(cache.totalCost <= 1)
        cache.trim(toCost: 0)
        #expect(cache.count == 0)
    }

    @Test("the budget of a share evicts its least recently used entry", arguments: [1, 9, -1, Double.nan])
    func share(_ share: Double) {
        let cache = MemoryCache<String, Int>(
            limits: CacheLimits(count: 2), policy: .twoBudgets(preferredShare: share))
        for name in ["a", "b"] { cache.insert(1, for: name) }
        _ = cache.value(for: "a")
        cache.insert(1, for: "c")
        #expect(["a", "b", "c"].map { cache.value(for: $0) } == [1, nil, 1])
    }

    @Test("a weight that is not above 0 counts as 1", arguments: [0, -1, Double.nan])
    func weight(_ weight: Double) {
        let cache = MemoryCache<String, Int>(
            limits: CacheLimits(count: 2), policy: .gdsf(preferredWeight: weight))
        for (name, retention) in [("a", .expendable), ("b", .preferred), ("c", .expendable)]
            as [(String, MemoryRetention)]
        {
            cache.insert(1, retention: retention, for: name)
        }
        #expect(["a", "b", "c"].map { cache.value(for: $0) } == [nil, 1, 1])
    }

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
    /// Records the changes for which it would copy its arrays, because the cache holds another copy of it.
    private struct CopiedOrder: EvictionOrder {
        private final class Storage: Sendable {}
        let log: MessageLog<String>
        private var storage = Storage()
        private var lastCost = (0, 0, 0)

        init(log: MessageLog<String>) { self.log = log }

        mutating func setLimits(_ limits: CacheLimits) { record("setLimits") }
        mutating func insert(_ entry: EvictionCandidate, at slot: Int) { record("insert") }
        mutating func use(_ slot: Int) { record("use") }
        mutating func remove(_ slot: Int) { record("remove") }
        mutating func victim(for incoming: EvictionCandidate?) -> Int? {
            record("victim")
            return 0
        }

        private mutating func record(_ name: String) {
            lastCost.0 += 1
            if !isKnownUniquelyReferenced(&storage) { log.append(name) }
        }
    }

    @Test("no operation copies the order, which would take longer the more entries there are")
    func copiesNothing() {
        let log = MessageLog<String>()
        let policy = EvictionPolicy(name: "copied") { CopiedOrder(log: log) }
        let cache = MemoryCache<Int, Int>(limits: CacheLimits(count: 1), policy: policy)
        for key in 0..<3 { cache.insert(key, for: key) }
        _ = cache.value(for: 2)
        cache.trim(count: 0)
        #expect(log.messages.isEmpty)
    }

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
