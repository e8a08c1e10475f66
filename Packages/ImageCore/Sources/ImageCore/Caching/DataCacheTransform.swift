/// Transforms entries before they are stored and after they are read, for example to encrypt or re-encode them.
///
/// The methods are called concurrently, on threads that they may block.
public protocol DataCacheTransform: Sendable {
    /// Returns the key under which the cache stores the entry. By default, the key itself.
    func key(for key: DataCacheKey) -> DataCacheKey
    /// Returns the entry to store.
    func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry
    /// Restores an entry. By default it returns the entry as stored. If it throws, the entry is a miss.
    func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry
}

extension DataCacheTransform {
    public func key(for key: DataCacheKey) -> DataCacheKey { key }
    public func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry { entry }
}
