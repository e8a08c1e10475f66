/// Stores encoded bytes across launches, within a byte limit.
///
/// Promises:
/// - `entry` returns a complete, undamaged entry or nil, even while the entry is replaced, and after a store that failed
///   or was interrupted. While an entry is replaced, `entry` may return nil.
/// - A damaged entry is a miss and is removed. Other entries stay.
/// - The byte limit holds after every operation. A larger entry throws `.tooLarge` and evicts no other. The older entry
///   for its key is removed, because it is out of date.
/// - A store that fails also removes the older entry for its key, if the device allows it. Other entries stay.
/// - Several open caches can use one store only if the implementation says so.
/// - Operations throw only if the store is broken. Callers can continue without it and try again later.
/// - No operation blocks a thread of the cooperative pool on I/O.
public protocol ImageDataCache: Sendable {
    /// Returns the entry for a key, or nil.
    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry?
    /// Stores an entry and replaces the older one.
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError)
    /// Removes the entry for a key, if there is one.
    func remove(for key: DataCacheKey) async throws(DataCacheError)
    /// Removes all entries.
    func removeAll() async throws(DataCacheError)
}

/// Encoded bytes with their metadata.
public struct DataCacheEntry: Hashable, Sendable {
    /// The encoded bytes.
    public var data: Data
    /// Metadata that the cache does not read, for example a response head and validators.
    public var metadata: Data
    /// The time at which the bytes were created, by the clock of the caller that stores them.
    public var creationDate: Date

    /// Creates an entry.
    public init(data: Data, metadata: Data = Data(), creationDate: Date) {
        self.data = data
        self.metadata = metadata
        self.creationDate = creationDate
    }
}

/// Why an operation of a data cache failed.
@nonexhaustive
public enum DataCacheError: Error, Hashable, Sendable {
    /// The device or the quota is full.
    case noSpace
    /// The directory can't be created, read or written. The text names the call and the reason.
    case inaccessible(String)
    /// The entry exceeds the limit of the cache by itself.
    case tooLarge(byteCount: Int, byteLimit: Int)
    /// Another cache uses the same folder with another limit. Each would evict what the other stores.
    case conflictingOptions(String)
    /// Any other failure of the file system. The text names the call and the reason.
    case io(String)
    /// The store or the transform of an application failed with this error.
    case other(UnderlyingError)

    /// Converts the error of a client or database below a cache: to `.other`, unless it is a `DataCacheError` already.
    public init(_ error: any Error) { self = error as? DataCacheError ?? .other(UnderlyingError(error)) }
}

extension DataCacheError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .noSpace: "the device or the quota is full"
        case .inaccessible(let text): "the cache is not accessible: \(text)"
        case .tooLarge(let count, let limit): "an entry of \(count) bytes exceeds the limit of \(limit)"
        case .io(let text), .conflictingOptions(let text): "the cache failed: \(text)"
        case .other(let failure): "the cache failed: \(failure)"
        }
    }
}
