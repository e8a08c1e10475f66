/// The methods that the eviction policies of all caches have.
protocol TestedEviction: Sendable {
    mutating func insert(_ slot: Int, cost: Int)
    mutating func use(_ slot: Int)
    mutating func remove(_ slot: Int)
    mutating func victim() -> Int?
}

/// An eviction policy, and the entries that it should know. Calls the policy as a cache does.
struct EvictionFixture<Policy: TestedEviction> {
    var policy: Policy
    /// The slots of the entries, in the order of their insertion.
    private(set) var slots: [Int] = []
    private var freeSlots: [Int] = []

    init(_ policy: Policy) { self.policy = policy }

    /// Inserts an entry at a free slot, and returns the slot.
    @discardableResult
    mutating func insert(cost: Int = 1) -> Int {
        let slot = freeSlots.popLast() ?? slots.count
        insert(at: slot, cost: cost)
        return slot
    }

    mutating func insert(at slot: Int, cost: Int = 1) {
        slots.append(slot)
        policy.insert(slot, cost: cost)
    }

    mutating func insert(count: Int) { for _ in 0..<count { insert() } }

    mutating func use(_ slot: Int) { policy.use(slot) }

    mutating func remove(_ slot: Int) {
        slots.removeAll { $0 == slot }
        freeSlots.append(slot)
        policy.remove(slot)
    }

    /// Evicts an entry for which the policy asks, and returns its slot.
    @discardableResult
    mutating func evict() throws(ContractViolation) -> Int {
        guard let victim = policy.victim() else {
            throw ContractViolation("there is no victim, but \(slots.count) entries")
        }
        try expectEntry(at: victim)
        remove(victim)
        return victim
    }

    /// Evicts all entries. Then there must be no victim.
    mutating func evictAll() throws(ContractViolation) {
        while !slots.isEmpty { try evict() }
        try expectNoVictim()
    }

    func expectEntry(at victim: Int) throws(ContractViolation) {
        try expect(slots.contains(victim), "the victim is slot \(victim), which has no entry")
    }

    mutating func expectNoVictim() throws(ContractViolation) {
        if let victim = policy.victim() {
            throw ContractViolation("the victim is slot \(victim), but there is no entry")
        }
    }
}
