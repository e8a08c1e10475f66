#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps encoded bytes across launches, within a byte budget.
///
/// Promises:
/// - `entry` returns nil when absent, and what was stored, whole, or nothing otherwise: never half an entry, never damaged bytes.
/// - A damaged entry is a miss and is removed; its neighbours stay.
/// - The byte budget holds after every operation. An entry larger than all of it is refused with `.tooLarge`, evicts no other,
///   and does not leave the older one under its key: it is out of date.
/// - Throws only for a broken store; a caller may go on without a cache and try again later.
/// - No operation blocks a thread of the cooperative pool on I/O.
public protocol DataCache: Sendable {
    func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry?
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure)
    func remove(for key: DataCacheKey) async throws(DataCacheFailure)
    func removeAll() async throws(DataCacheFailure)
}

/// Encoded bytes and what belongs to them.
public struct DataCacheEntry: Hashable, Sendable {
    public var data: Data
    /// Whatever the owner of the entry wants kept beside the bytes, opaque to the cache: a response head, validators.
    public var metadata: Data
    /// When the bytes were created, by the clock of the caller that stores them.
    public var createdAt: Date

    public init(data: Data, metadata: Data = Data(), createdAt: Date) {
        self.data = data
        self.metadata = metadata
        self.createdAt = createdAt
    }
}

/// Why a store of bytes could not do what it was asked.
public enum DataCacheFailure: Error, Hashable, Sendable {
    /// No space is left on the device, or the quota is used up.
    case noSpace
    /// The folder can't be made, read or written. The text names the call and the reason.
    case inaccessible(String)
    /// Larger than the whole budget.
    case tooLarge(bytes: Int, allowed: Int)
    /// Any other failure of the file system. The text names the call and the reason.
    case io(String)
}
