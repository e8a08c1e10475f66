import ImageCore
import ImageMemoryCaching

/// An eviction order, and the entries that it should know. Calls the order as a cache does.
struct EvictionFixture {
    var order: any EvictionOrder
    /// The slots of the entries, in the order of their insertion.
    private(set) var slots: [Int] = []
    private var freeSlots: [Int] = []
    private var insertionCount = 0

    init(_ policy: EvictionPolicy, _ limits: CacheLimits = CacheLimits()) {
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    /// Inserts an entry with a hash of its own at a free slot, and returns the slot.
    @discardableResult
    mutating func insert(cost: Int = 1) -> Int {
        insertionCount += 1
        return insert(EvictionOrderContract.candidate(insertionCount, cost: cost))
    }

    mutating func insert(_ entry: EvictionCandidate) -> Int {
        let slot = freeSlots.popLast() ?? slots.count
        slots.append(slot)
        order.insert(entry, at: slot)
        return slot
    }

    mutating func insert(count: Int) { for _ in 0..<count { insert() } }

    mutating func use(_ slot: Int) { order.use(slot) }

    mutating func remove(_ slot: Int) {
        slots.removeAll { $0 == slot }
        freeSlots.append(slot)
        order.remove(slot)
    }

    /// Evicts an entry for which the order asks, and returns its slot.
    @discardableResult
    mutating func evict() throws(ContractViolation) -> Int {
        guard let victim = order.victim(for: nil) else {
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
        if let victim = order.victim(for: nil) {
            throw ContractViolation("the victim is slot \(victim), but there is no entry")
        }
    }
}
