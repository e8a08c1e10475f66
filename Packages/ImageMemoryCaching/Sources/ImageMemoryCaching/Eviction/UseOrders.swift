/// Evicts the least recently used entry.
struct LRUOrder: EvictionOrder {
    private var queue = SlotQueues()

    mutating func setLimits(_ limits: CacheLimits) {}
    mutating func insert(_ entry: EvictionCandidate, at slot: Int) { queue.append(slot) }
    mutating func use(_ slot: Int) { queue.move(slot) }
    mutating func remove(_ slot: Int) { queue.remove(slot) }
    mutating func victim(for incoming: EvictionCandidate?) -> Int? { queue.oldest() }
}

/// Evicts the least frequently used entry. Among equals, evicts the one that was not used for the longest time.
struct LFUOrder: EvictionOrder {
    private static let maxUses = 255

    /// The entries by their number of uses, which counts up to the maximum.
    private var queues = SlotQueues(count: Self.maxUses + 1)

    mutating func setLimits(_ limits: CacheLimits) {}
    mutating func insert(_ entry: EvictionCandidate, at slot: Int) { queues.append(slot) }
    mutating func use(_ slot: Int) { queues.move(slot, to: min(queues.queue(of: slot) + 1, Self.maxUses)) }
    mutating func remove(_ slot: Int) { queues.remove(slot) }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        for uses in 0...Self.maxUses {
            if let slot = queues.oldest(in: uses) { return slot }
        }
        return nil
    }
}
