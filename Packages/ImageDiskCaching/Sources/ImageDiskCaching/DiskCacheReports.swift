#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an entry on disk has to survive.
public enum DiskDurability: Sendable, CaseIterable {
    /// The end of the process at any moment. After a power cut the newest entries may be missing, never wrong: the
    /// checksum tells. The default, some twenty times as fast as `powerLoss`.
    case processCrash
    /// As `processCrash`, but that an entry is on the device before it takes its name: after a power cut a store that replaced
    /// an entry has left the older or the newer one.
    case data
    /// A power cut as well: `store`, `remove` and whatever else removes entries return when what they did is on the device.
    case powerLoss
}

/// What a disk cache holds.
public struct DiskCacheStatus: Hashable, Sendable {
    public var entryCount: Int
    /// The lengths of all entries' files, keys, metadata and trailers included. What the file system rounds up is not.
    public var byteCount: Int
    /// What the index takes beside them. The limit counts it, at the length that it may get before it is tidied up.
    public var indexByteCount: Int
    /// What both together may take.
    public var byteLimit: Int
    /// When the least recently used entry was stored or read last; nil when there is none.
    public var oldestUse: Date?
    /// When the most recently used entry was stored or read last; nil when there is none.
    public var newestUse: Date?
}

/// What a disk cache did since it was made.
public struct DiskCacheStatistics: Hashable, Sendable {
    /// Why an entry was evicted.
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// The byte limit left no room for another.
        case limit
        /// It had not been used for too long.
        case age
        /// The file system was running full.
        case freeSpace
        /// `trim` was called.
        case trim
    }

    public var hits = 0
    public var misses = 0
    /// Entries stored.
    public var stored = 0
    /// Evicted entries and the lengths of their files. A cause that did not occur is not in it.
    public var evictions: [Cause: DiskCacheRemoval] = [:]
    /// Damaged entries that were found and removed.
    public var damaged = 0

    public init() {}

    mutating func count(_ byteCount: Int, _ cause: Cause) {
        evictions[cause, default: DiskCacheRemoval()].count(byteCount)
    }
}

/// What was removed from a disk cache.
public struct DiskCacheRemoval: Hashable, Sendable {
    public var entryCount = 0
    /// The lengths of their files.
    public var byteCount = 0

    public init(entryCount: Int = 0, byteCount: Int = 0) {
        self.entryCount = entryCount
        self.byteCount = byteCount
    }

    /// Counts one more entry.
    mutating func count(_ byteCount: Int) { add(DiskCacheRemoval(entryCount: 1, byteCount: byteCount)) }

    mutating func add(_ other: DiskCacheRemoval) {
        entryCount += other.entryCount
        byteCount += other.byteCount
    }
}

/// What the verification of a disk cache found.
public struct DiskCacheVerification: Hashable, Sendable {
    public var entriesChecked = 0
    public var bytesChecked = 0
    /// Entries that were short, altered or under a wrong name. They are gone.
    public var damagedRemoved = 0
    /// Files that a process left half-written when it died. They are gone.
    public var temporariesRemoved = 0
    /// Entries that another version of this library wrote: misses here, left alone, evicted in their turn.
    public var otherVersions = 0
    /// Entries larger than the whole budget, which were not read: misses here, removed when they are asked for.
    public var oversized = 0
    /// What could neither be read nor removed: the path within the folder, and the reason.
    public var unrepaired: [String] = []

    /// True when all is well, or was put right.
    public var isSound: Bool { unrepaired.isEmpty }

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
