public import ImageCore

/// Chooses which entry of a cache to evict. An `EvictionPolicy` creates one for each cache.
///
/// An order knows *slots*: numbers from 0 on, which the cache assigns to entries and reuses after their removal. The
/// cache calls one method at a time under its lock, so an order must not call the cache. Each method should take O(1)
/// amortized time. Check your own order with `EvictionOrderContract`.
///
/// Promises:
/// - Orders of one policy are independent.
/// - A victim is an entry that was inserted and not removed.
/// - An order that refuses entries accepts one like those in the cache after a limited number of attempts.
public protocol EvictionOrder: Sendable {
    /// Sets the limits of the cache. Called before all other methods, and when the limits change.
    mutating func setLimits(_ limits: CacheLimits)
    /// Adds a new entry at a free slot.
    mutating func insert(_ entry: EvictionCandidate, at slot: Int)
    /// Records a hit on the entry at a slot.
    mutating func use(_ slot: Int)
    /// Removes the entry at a slot because it was evicted, removed or expired.
    mutating func remove(_ slot: Int)
    /// Returns the slot of the entry to evict for `incoming`, or for a trim if `incoming` is nil.
    ///
    /// - Returns: The slot, or nil to refuse `incoming`. Without `incoming`, nil only if there are no entries.
    mutating func victim(for incoming: EvictionCandidate?) -> Int?
}

/// The properties of an entry that an eviction order knows.
public struct EvictionCandidate: Hashable, Sendable {
    /// The hash value of the key. It can differ between runs of the process.
    public var hash: UInt64
    /// The cost in the unit of the limits, 0 or more.
    public var cost: Int
    /// Whether the value is expensive to get back.
    public var retention: MemoryRetention

    /// Creates a candidate.
    public init(hash: UInt64, cost: Int, retention: MemoryRetention = .preferred) {
        self.hash = hash
        self.cost = cost
        self.retention = retention
    }
}
