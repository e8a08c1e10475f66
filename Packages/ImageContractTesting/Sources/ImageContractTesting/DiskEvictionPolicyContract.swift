public import ImageDiskCaching

/// The contract of `DiskEvictionPolicy`, which chooses the entry that a disk cache evicts.
///
/// The rules don't depend on which entry a policy evicts first.
public enum DiskEvictionPolicyContract {
    /// A policy without entries.
    public typealias Subject = any DiskEvictionPolicy

    /// All rules.
    public static var rules: [ContractRule<Subject>] {
        EvictionRules<Subject, DiskEviction>.rules { DiskEviction(policy: $0) } + own
    }

    private static var own: [ContractRule<Subject>] {
        [
            ContractRule("a policy returns the same victim until an event changes the order") { policy in
                var fixture = EvictionFixture(DiskEviction(policy: policy))
                fixture.insert(count: 10)
                for _ in 0..<10 {
                    let victims = Set((0..<5).map { _ in fixture.policy.victim() })
                    try expect(victims.count == 1, "the victims are \(victims)")
                    try fixture.evict()
                }
            },
            ContractRule("entries can have any slots, in any order") { policy in
                var fixture = EvictionFixture(DiskEviction(policy: policy))
                for slot in [900, 3, 500, 0, 77] { fixture.insert(at: slot) }
                fixture.use(500)
                try fixture.evictAll()
            },
            ContractRule("an entry that moves to another slot keeps its position") { policy in
                var policy = policy
                for slot in 0..<10 { policy.insert(slot, byteCount: slot) }
                for slot in [2, 7] { policy.use(slot) }
                for step in 0..<9 {
                    guard let victim = policy.victim() else { throw ContractViolation("there is no victim") }
                    policy.move(victim, to: 20 + step)
                    let moved = policy.victim()
                    try expect(
                        moved == 20 + step,
                        "the victim moves to slot \(20 + step), then it is \(moved.map { "slot \($0)" } ?? "nil")")
                    policy.remove(20 + step)
                }
            },
            ContractRule("a copy of a policy has entries of its own") { policy in
                var copy = policy
                copy.insert(0, byteCount: 1)
                var other = EvictionFixture(DiskEviction(policy: policy))
                try other.expectNoVictim()
                other.insert(count: 3)
                try other.evictAll()
            },
        ]
    }
}

/// A policy as the rules for all caches see it.
private struct DiskEviction: TestedEviction {
    var policy: any DiskEvictionPolicy

    mutating func insert(_ slot: Int, cost: Int) { policy.insert(slot, byteCount: cost) }
    mutating func use(_ slot: Int) { policy.use(slot) }
    mutating func remove(_ slot: Int) { policy.remove(slot) }
    mutating func victim() -> Int? { policy.victim() }
}
