#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The events that a stored entry survives.
public enum DiskDurability: Sendable, CaseIterable {
    /// Entries survive the end of the process at any moment. This is the default, about twenty times as fast as
    /// `powerLoss`.
    ///
    /// A power cut can remove the newest entries. Checksums detect damaged entries, which are misses.
    case processCrash
    /// Like `processCrash`, but the data is synchronized before the file is renamed.
    ///
    /// If a power cut interrupts a store that replaces an entry, either the older or the newer entry is left.
    case data
    /// Entries also survive a power cut. `store`, `remove` and evictions return after their changes are on the device.
    case powerLoss
}

/// The size and age of the contents of a disk cache.
public struct DiskCacheStatus: Hashable, Sendable {
    /// The number of entries.
    public var entryCount: Int
    /// The total length of the files of entries, in bytes, including keys, metadata and trailers. Not rounded up to
    /// blocks.
    public var byteCount: Int
    /// The length of the index, in bytes. The limit counts the greatest length that it can reach before it is
    /// compacted.
    public var indexByteCount: Int
    /// The limit for entries and index together, in bytes.
    public var byteLimit: Int
    /// The time at which the least recently used entry was stored or read last. `nil` for an empty cache.
    public var oldestUse: Date?
    /// The time at which the most recently used entry was stored or read last. `nil` for an empty cache.
    public var newestUse: Date?
}

/// Counts of the operations of a disk cache since it was created.
public struct DiskCacheStatistics: Hashable, Sendable {
    /// The reason for an eviction.
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// The byte limit was reached.
        case limit
        /// The entry had not been used for longer than the age limit.
        case age
        /// The file system had too little free space.
        case freeSpace
        /// The entry was evicted by a call of `trim`.
        case trim
    }

    /// The number of lookups that found an entry.
    public var hits = 0
    /// The number of lookups that found no entry.
    public var misses = 0
    /// The number of stored entries.
    public var stored = 0
    /// The number of evicted entries and the total length of their files, by cause. Causes that did not occur are
    /// missing.
    public var evictions: [Cause: DiskCacheRemoval] = [:]
    /// The number of damaged entries that were found and removed.
    public var damaged = 0

    /// Creates statistics in which all counts are 0.
    public init() {}

    mutating func count(_ byteCount: Int, _ cause: Cause) {
        evictions[cause, default: DiskCacheRemoval()].count(byteCount)
    }
}

/// The number and size of the entries that an operation removed.
public struct DiskCacheRemoval: Hashable, Sendable {
    /// The number of removed entries.
    public var entryCount = 0
    /// The total length of their files, in bytes.
    public var byteCount = 0

    /// Creates a removal of `entryCount` entries, whose files have `byteCount` bytes in total.
    public init(entryCount: Int = 0, byteCount: Int = 0) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }

    /// Adds one entry.
    mutating func count(_ byteCount: Int) { add(DiskCacheRemoval(entryCount: 1, byteCount: byteCount)) }

    mutating func add(_ other: DiskCacheRemoval) {
        entryCount += other.entryCount
        byteCount += other.byteCount
    }
}

/// The result of verifying a disk cache.
public struct DiskCacheVerification: Hashable, Sendable {
    /// The number of entries that were checked.
    public var entriesChecked = 0
    /// The total length of their files, in bytes.
    public var bytesChecked = 0
    /// The number of removed entries that were truncated, altered or stored under a wrong name.
    public var damagedRemoved = 0
    /// The number of removed files that a process left incomplete when it ended.
    public var temporariesRemoved = 0
    /// The number of entries in the format of another version of this library. They are misses, and stay until evicted.
    public var otherVersions = 0
    /// The number of entries larger than the limit. They were not read. A lookup of such an entry is a miss and removes
    /// it.
    public var oversized = 0
    /// The files that could be neither read nor removed. Each text contains the path within the folder and the reason.
    public var unrepaired: [String] = []

    /// Whether no damage is left.
    public var isIntact: Bool { unrepaired.isEmpty }

    mutating func add(_ other: DiskCacheVerification) {
        entriesChecked += other.entriesChecked
        bytesChecked += other.bytesChecked
        damagedRemoved += other.damagedRemoved
        temporariesRemoved += other.temporariesRemoved
        otherVersions += other.otherVersions
        oversized += other.oversized
        unrepaired += other.unrepaired
    }
}
