public import ImageCore

/// The limits of the writes that wait for the lower level of a tiered cache.
public struct TieredCacheOptions: Hashable, Sendable {
    /// The largest number of entries that wait. Further ones are dropped. The default is 256.
    public var maxPendingWrites = 256
    /// The largest total size of the entries that wait, in bytes, without their keys. The default is 64 MiB.
    public var maxPendingBytes = 64 << 20
    /// The largest number of writes to the lower level at once, at least 1. The default is 4.
    public var maxConcurrentWrites = 4

    /// The largest number of waiting changes, including removals of the older entries of dropped writes.
    var maxPendingRemovals: Int { min(max(0, maxPendingWrites), 1 << 32) * 8 }

    /// Creates options with the default values.
    public init() {}
}

/// A level of a tiered cache.
public enum TieredCacheLevel: Hashable, Sendable {
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
