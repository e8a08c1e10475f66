public import ImageMemoryCaching

extension EvictionPolicy {
    /// Evicts the oldest entry.
    public static let fifo = EvictionPolicy(name: "FIFO") { FIFOOrder() }

    /// Evicts the oldest entry that was not used since the last check of it.
    ///
    /// Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024.
    public static let sieve = EvictionPolicy(name: "SIEVE") { SIEVEOrder() }

    /// Admits an entry only if it is requested more often than the one that it would replace.
    ///
    /// Einziger et al., "TinyLFU: A highly efficient cache admission policy", ACM Transactions on Storage 2017.
    public static let wTinyLFU = EvictionPolicy(name: "W-TinyLFU") { WTinyLFUOrder() }
}

/// Evicts the oldest entry.
struct FIFOOrder: EvictionOrder {
    private var queue = SlotQueues()

    mutating func setLimits(_ limits: CacheLimits) {}
    mutating func insert(_ entry: EvictionCandidate, at slot: Int) { queue.append(slot) }
    mutating func use(_ slot: Int) {}
    mutating func remove(_ slot: Int) { queue.remove(slot) }
    mutating func victim(for incoming: EvictionCandidate?) -> Int? { queue.oldest() }
}
