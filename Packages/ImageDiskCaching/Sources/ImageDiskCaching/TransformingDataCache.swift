public import ImageCore

/// A cache that keeps something else than it is given: what a transform makes of it, in another cache.
///
/// What can't be restored, encrypted with another key for instance, is a miss and stays, until it is replaced or evicted. What can't be
/// transformed is not stored, and `.io` tells why. The budget, and everything else, is the other cache's.
public struct TransformingDataCache: DataCache {
    private let cache: any DataCache
    private let transform: any DataCacheTransform
    private let executor = QueueExecutor(label: "TransformingDataCache")

    public init(_ cache: any DataCache, transform: any DataCacheTransform) {
        self.cache = cache
        self.transform = transform
    }

    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        guard let kept = try await cache.entry(for: transform.key(for: key)) else { return nil }
        switch await perform({ try transform.restored(kept, for: key) }) {
        case .success(let entry): return entry
        case .failure: return nil
        }
    }

    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        switch await perform({ try transform.stored(entry, for: key) }) {
        case .success(let kept): try await cache.store(kept, for: transform.key(for: key))
        case .failure(let error):
            // The older entry is out of date.
            try await cache.remove(for: transform.key(for: key))
            throw .io("transform: \(error)")
        }
    }

    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        try await cache.remove(for: transform.key(for: key))
    }

    public func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }

    /// Off the cooperative pool: encoding a large image keeps a thread busy for a tenth of a second.
    private func perform(
        _ work: @Sendable () throws -> DataCacheEntry
    ) async -> Result<DataCacheEntry, any Error> {
        await withTaskExecutorPreference(executor) { Result { try work() } }
    }
}
