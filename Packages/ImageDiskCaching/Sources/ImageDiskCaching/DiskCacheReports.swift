#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The size and age of the contents of a disk cache.
public struct DiskCacheStatus: Hashable, Sendable {
    /// The number of entries.
    public var entryCount: Int
    /// The total length of the files of entries, in bytes, including keys, metadata and trailers. Not rounded up to
    /// blocks.
    public var byteCount: Int
    /// The limit for all files of the cache, in bytes.
    public var byteLimit: Int
    /// The time at which the least recently used entry was stored or read last. `nil` for an empty cache.
    public var oldestUse: Date?
    /// The time at which the most recently used entry was stored or read last. `nil` for an empty cache.
    public var newestUse: Date?
}

/// The number and size of the entries that an operation removed.
public struct DiskCacheRemoval: Hashable, Sendable {
    /// The number of removed entries.
    public var entryCount = 0
    /// The total length of their files, in bytes.
    public var byteCount = 0
}

/// The result of verifying a disk cache.
public struct DiskCacheVerification: Hashable, Sendable {
    /// The number of entries that were checked.
    public var entriesChecked = 0
    /// The total length of their files, in bytes.
    public var bytesChecked = 0
    /// The number of removed entries that were truncated, altered, misnamed, expired, or larger than the limit.
    public var damagedRemoved = 0
    /// The files that could be neither read nor removed. Each text contains the path within the folder and the reason.
    public var unrepaired: [String] = []
}
