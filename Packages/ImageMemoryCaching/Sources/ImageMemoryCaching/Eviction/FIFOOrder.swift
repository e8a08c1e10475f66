/// Evicts the oldest entry.
struct FIFOOrder: EvictionOrder {
    private var queue = SlotLists()

    mutating func setLimits(_ limits: CacheLimits) {}
    mutating func insert(_ entry: EvictionCandidate, at slot: Int) { queue.append(slot) }
    mutating func use(_ slot: Int) {}
    mutating func remove(_ slot: Int) { queue.remove(slot) }
    mutating func victim(for incoming: EvictionCandidate?) -> Int? { coldest }
    var coldest: Int? { queue.oldest() }
}
