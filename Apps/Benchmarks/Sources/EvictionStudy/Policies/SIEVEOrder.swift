import ImageMemoryCaching

/// Evicts the first entry that was not used since a hand, which moves from old to new entries, last visited it.
///
/// Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024, algorithm 1.
struct SIEVEOrder: EvictionOrder {
    private var queue = SlotQueues()
    private var isUsed: [Bool] = []
    /// The slot where the next search starts. Nil for the oldest.
    private var hand: Int?

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        isUsed.set(false, at: slot)
        queue.append(slot)
    }

    mutating func use(_ slot: Int) { isUsed[slot] = true }

    mutating func remove(_ slot: Int) {
        if hand == slot { hand = queue.newer(than: slot) }
        queue.remove(slot)
    }

    mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        guard var slot = hand ?? queue.oldest() else { return nil }
        while isUsed[slot] {
            isUsed[slot] = false
            slot = queue.newer(than: slot) ?? queue.oldest() ?? slot
        }
        hand = slot
        return slot
    }
}
