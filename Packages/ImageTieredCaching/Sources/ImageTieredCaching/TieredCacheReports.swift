public import ImageCore

/// A level of a tiered cache.
public enum TieredCacheLevel: String, Hashable, Sendable, CaseIterable {
    /// The level that is asked first, such as a disk.
    case upper
    /// The level that is asked if the upper one has no entry, such as a server that many processes share.
    case lower
}

/// What happened in a tiered cache.
public enum TieredCacheEvent: Hashable, Sendable {
    /// A lookup found an entry in a level. An entry that waits to be written to the lower level counts as in the upper.
    case found(DataCacheKey, TieredCacheLevel)
    /// A lookup found no entry.
    case missed(DataCacheKey)
    /// An entry was not written to the lower level, because too many writes waited.
    case dropped(DataCacheKey)
    /// An operation of a level failed. The other level is used instead.
    case failed(DataCacheKey, TieredCacheLevel, DataCacheFailure)
}

/// Counts of the operations of a tiered cache since it was created.
public struct TieredCacheStatistics: Hashable, Sendable {
    /// The number of lookups that found an entry in the upper level.
    public var upperHits = 0
    /// The number of lookups that found an entry in the lower level.
    public var lowerHits = 0
    /// The number of lookups that found no entry.
    public var misses = 0
    /// The number of entries that are not in the lower level because too many writes waited.
    public var dropped = 0
    /// The number of failed operations of the upper level.
    public var upperFailures = 0
    /// The number of failed operations of the lower level.
    public var lowerFailures = 0

    /// Creates statistics in which all counts are 0.
    public init() {}

    mutating func count(_ event: TieredCacheEvent) {
        switch event {
        case .found(_, .upper): upperHits += 1
        case .found(_, .lower): lowerHits += 1
        case .missed: misses += 1
        case .dropped: dropped += 1
        case .failed(_, .upper, _): upperFailures += 1
        case .failed(_, .lower, _): lowerFailures += 1
        }
    }
}
