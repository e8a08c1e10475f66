/// Counts of a cache since it was created, and its current size.
public struct CacheStatistics: Hashable, Sendable {
    /// The lookups that found a value, including `revivals`.
    public var hits = 0
    /// The lookups that found no value.
    public var misses = 0
    /// The hits on evicted values that were still in use elsewhere.
    public var revivals = 0
    /// The number of values that were evicted or refused, by cause. Removed and replaced values don't count.
    public var evictions: [EvictionCause: Int] = [:]
    /// The sum of the costs of all entries.
    public var totalCost = 0
    /// The number of entries.
    public var count = 0
    /// The time since the insertion or last use of the entry that the policy considers first for eviction. Nil if the
    /// cache is empty or has no clock.
    public var coldestAge: Duration?

    /// Creates statistics of an unused cache.
    public init() {}

    /// The share of hits among all lookups, from 0 to 1. Nil before the first lookup.
    public var hitRatio: Double? {
        hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
    }
}

/// Why a cache evicted or refused a value.
public enum EvictionCause: Int, Hashable, Sendable, CaseIterable {
    /// The value was evicted because of the cost limit.
    case cost
    /// The value was evicted because of the limit on the number of entries.
    case count
    /// The value was refused because it exceeds a limit by itself.
    case entryLimit
    /// The value was refused by the eviction policy, which preferred the entries in the cache.
    case admission
    /// The lifetime of the entry ended.
    case expiry
    /// The value was evicted by a call of `trim`.
    case trim
    /// The value was evicted because the system is short of memory.
    case pressure
}
