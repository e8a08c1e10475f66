import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Collects an entry in memory, for caches without streaming.
final class CollectingWriter: DataCacheWriter {
    private let cache: any DataCache
    private let key: DataCacheKey
    private let data = Mutex(Data())

    init(_ cache: any DataCache, _ key: DataCacheKey) {
        self.cache = cache
        self.key = key
    }

    func append(_ bytes: Data) async throws(DataCacheFailure) { data.withLock { $0.append(bytes) } }

    func finish(metadata: Data, createdAt: Date) async throws(DataCacheFailure) {
        let data = data.withLock { $0 }
        try await cache.store(DataCacheEntry(data: data, metadata: metadata, createdAt: createdAt), for: key)
    }

    func cancel() async { data.withLock { $0 = Data() } }
}
