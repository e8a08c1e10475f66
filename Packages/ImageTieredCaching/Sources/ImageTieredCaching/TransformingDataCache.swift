import Dispatch
public import ImageCore

/// Stores transformed entries in another cache, for example encrypted ones.
///
/// An entry that can't be restored is a miss, for example if it was encrypted with another key. It stays until it is
/// replaced or evicted. If an entry can't be transformed, `store` throws `.io` with the reason. The limits of the other
/// cache apply.
public struct TransformingDataCache: DataCache {
    private let cache: any DataCache
    private let transform: any DataCacheTransform
    private let queue = DispatchQueue(label: "TransformingDataCache")

    /// Creates a cache that transforms the entries of another cache.
    ///
    /// - Parameters:
    ///   - cache: Stores the transformed entries.
    ///   - transform: Transforms entries before they are stored, and restores them.
    public init(_ cache: any DataCache, transform: any DataCacheTransform) {
        self.cache = cache
        self.transform = transform
    }

    /// Returns the restored entry for a key, or `nil` if it is missing or can't be restored.
    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        guard let stored = try await cache.entry(for: transform.key(for: key)) else { return nil }
        switch await perform({ try transform.restored(stored, for: key) }) {
        case .success(let entry): return entry
        case .failure: return nil
        }
    }

    /// Transforms and stores an entry.
    ///
    /// - Throws: `DataCacheFailure.io` if the entry can't be transformed, or the failure of the other cache. If it
    ///   can't be transformed, the older entry for its key is removed.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        switch await perform({ try transform.stored(entry, for: key) }) {
        case .success(let stored): try await cache.store(stored, for: transform.key(for: key))
        case .failure(let error):
            // The older entry is outdated.
            try await cache.remove(for: transform.key(for: key))
            throw .io("transform: \(error)")
        }
    }

    /// Removes the entry for a key.
    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        try await cache.remove(for: transform.key(for: key))
    }

    /// Removes all entries of the other cache.
    public func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }

    /// Runs work outside of the concurrency pool, because encoding a large image takes a tenth of a second.
    private func perform(
        _ work: @escaping @Sendable () throws -> DataCacheEntry
    ) async -> Result<DataCacheEntry, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { try work() }) }
        }
    }
}
