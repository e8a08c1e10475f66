/// Changes entries on their way into a cache of bytes and back: encodes images otherwise, encrypts them.
///
/// Called on threads that may be kept busy for as long as it takes, several at a time.
public protocol DataCacheTransform: Sendable {
    /// What the cache knows the entry by. The key itself unless told otherwise.
    func key(for key: DataCacheKey) -> DataCacheKey
    /// What the cache is to keep of an entry.
    func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry
    /// The entry, from what the cache kept. Throws when it can't be told: it is then a miss. As it was kept unless told otherwise.
    func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry
}

extension DataCacheTransform {
    public func key(for key: DataCacheKey) -> DataCacheKey { key }
    public func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry { entry }
}
