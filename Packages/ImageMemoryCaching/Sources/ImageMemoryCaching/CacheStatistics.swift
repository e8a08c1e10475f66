/// What a cache has done since it was made, and what it holds now.
public struct CacheStatistics: Hashable, Sendable {
    /// Look-ups that found a value, `revivals` included.
    public var hits = 0
    /// Look-ups that found none.
    public var misses = 0
    /// Hits on values that had been evicted and were still in use somewhere.
    public var revivals = 0
    /// How many values left, or were not let in, for each reason. What the caller removed or replaced is not counted.
    public var evictions: [EvictionCause: Int] = [:]
    /// The costs of all values now.
    public var totalCost = 0
    /// How many values there are now.
    public var count = 0
    /// How long ago the entry was put in or used that the policy would look at first for eviction; nil when there is none, or
    /// no clock.
    public var coldestAge: Duration?

    public init() {}

    /// Hits among all look-ups, or nil before the first.
    public var hitRatio: Double? {
        hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
    }
}

/// Why a cache gave a value up without being asked to.
public enum EvictionCause: Int, Hashable, Sendable, CaseIterable {
    /// The costs would have been above the limit.
    case cost
    /// There would have been too many entries.
    case count
    /// It was not let in: it alone is above a limit.
    case entryLimit
    /// It was not let in: the policy would rather keep what is there.
    case admission
    /// Its time was over.
    case expiry
    /// The caller asked for a smaller cache.
    case trim
    /// Memory is short.
    case pressure
}
