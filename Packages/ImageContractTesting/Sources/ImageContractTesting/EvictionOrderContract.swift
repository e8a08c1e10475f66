import ImageCore
public import ImageMemoryCaching
import ImageTesting

/// The contract of `EvictionOrder`, which chooses the entries that a memory cache evicts.
///
/// The rules don't depend on which entry an order evicts first.
public enum EvictionOrderContract {
    /// A policy that makes orders.
    public typealias Subject = EvictionPolicy

    /// All rules.
    public static var rules: [ContractRule<Subject>] { events + limits }

    private static var limits: [ContractRule<Subject>] {
        [
            ContractRule("the limits can change at any time, from zero to unlimited") { policy in
                let limits = [0, 1, 10, 500, .max - 1, .max].flatMap {
                    [CacheLimits(cost: $0), CacheLimits(count: $0), CacheLimits(cost: $0, count: $0)]
                }
                try runAtRandom(policy, limits: limits)
            },
            ContractRule("a victim for an incoming entry is an entry, whether the new one is inserted or not") {
                policy in
                for cost in [30, 200, Int.max] {
                    try runAtRandom(policy, limits: [CacheLimits(cost: 100, count: 20)], incomingCost: cost)
                }
            },
            ContractRule("the costs of an incoming entry and of the others may exceed the largest number") { policy in
                var fixture = EvictionFixture(policy)
                for _ in 0..<2 { fixture.insert(cost: .max / 2) }
                while let victim = fixture.order.victim(for: candidate(100, cost: .max)) {
                    try fixture.expectEntry(at: victim)
                    fixture.remove(victim)
                }
                try fixture.evictAll()
            },
            ContractRule("an entry like the others is not refused forever") { policy in
                for limits in [CacheLimits(cost: 100), CacheLimits(count: 100)] {
                    var fixture = EvictionFixture(policy, limits)
                    fixture.insert(count: 100)
                    let isAdmitted = (0..<1_000).contains { _ in fixture.order.victim(for: candidate(100)) != nil
                    }
                    try expect(isAdmitted, "it is refused 1000 times")
                }
            },
            ContractRule("the orders of a policy are independent") { policy in
                var full = EvictionFixture(policy)
                full.insert(count: 10)
                var other = EvictionFixture(policy)
                try other.expectNoVictim()
                other.insert(count: 2)
                for _ in 0..<10 { try full.evict() }
                try other.evictAll()
            },
        ]
    }

    static func candidate(_ number: Int, cost: Int = 1) -> EvictionCandidate {
        EvictionCandidate(
            hash: UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15, cost: cost,
            retention: number % 2 == 0 ? .preferred : .expendable)
    }

    /// Simulates a cache. Throws if a victim is no entry.
    private static func runAtRandom(
        _ policy: EvictionPolicy, limits: [CacheLimits], incomingCost: Int = 30
    ) throws {
        var cache = SimulatedCache(policy, limits[0])
        var random = SeededRandom(seed: 11)
        for step in 0..<3_000 {
            let slot = cache.fixture.slots.randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let cost = step % 20 == 0 ? incomingCost : Int.random(in: 0...30, using: &random)
                try cache.insert(candidate(step % 200, cost: cost))
            case 4..<7: if let slot { cache.fixture.use(slot) }
            case 7: if let slot { cache.remove(slot) }
            case 8: try cache.setLimits(limits[step % limits.count])
            default: if slot != nil { cache.count(try cache.fixture.evict()) }
            }
        }
        try cache.fixture.evictAll()
    }
}

/// The costs of the entries of a cache, which calls an order to keep its limits.
private struct SimulatedCache {
    var fixture: EvictionFixture
    private var limits: CacheLimits
    private var costs: [Int: Int] = [:]
    private var totalCost = 0

    init(_ policy: EvictionPolicy, _ limits: CacheLimits) {
        fixture = EvictionFixture(policy, limits)
        self.limits = limits
    }

    /// Inserts an entry unless it exceeds the limits or is refused.
    mutating func insert(_ entry: EvictionCandidate) throws(ContractViolation) {
        guard entry.cost <= limits.cost, limits.count > 0 else { return }
        while totalCost > limits.cost - entry.cost || costs.count >= limits.count {
            guard let victim = fixture.order.victim(for: entry) else { return }
            try fixture.expectEntry(at: victim)
            remove(victim)
        }
        costs[fixture.insert(entry)] = entry.cost
        totalCost += entry.cost
    }

    mutating func remove(_ slot: Int) {
        fixture.remove(slot)
        count(slot)
    }

    /// Counts an entry that was removed from the fixture.
    mutating func count(_ slot: Int) { totalCost -= costs.removeValue(forKey: slot) ?? 0 }

    mutating func setLimits(_ limits: CacheLimits) throws(ContractViolation) {
        self.limits = limits
        fixture.order.setLimits(limits)
        while totalCost > limits.cost || costs.count > limits.count { count(try fixture.evict()) }
    }
}
