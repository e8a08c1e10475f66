/// The hashes of evicted keys in the order of eviction. The costs of their values determine how many are stored.
struct GhostQueue: Sendable {
    private var slots: [UInt64: Int] = [:]
    private var hashes: [UInt64] = []
    private var freeSlots: [Int] = []
    private var queue = SlotQueues()

    /// Appends a hash, and removes the oldest ones to stay within the limits.
    mutating func append(_ hash: UInt64, cost: Int, limits: CacheLimits) {
        guard cost <= limits.cost, limits.count > 0 else { return }
        remove(hash)
        while queue.fill().cost > limits.cost - cost || slots.count >= limits.count, let oldest = queue.oldest() {
            remove(hashes[oldest])
        }
        let slot = freeSlots.popLast() ?? hashes.count
        slots[hash] = slot
        hashes.set(hash, at: slot)
        queue.append(slot, cost: cost)
    }

    /// Removes a hash and returns whether the queue contained it.
    @discardableResult
    mutating func remove(_ hash: UInt64) -> Bool {
        guard let slot = slots.removeValue(forKey: hash) else { return false }
        queue.remove(slot)
        freeSlots.append(slot)
        return true
    }
}
