import ImageCore
import ImageDiskCaching
import ImageLoading

/// The originals and the partial downloads of a loader.
struct DiskFolders: DiskMaintenance {
    let caches: [DiskDataCache]

    func removeAll() async throws(DataCacheError) { for cache in caches { try await cache.removeAll() } }

    func removeAll(unusedFor age: Duration) async throws(DataCacheError) {
        for cache in caches { try await cache.removeAll(unusedFor: age) }
    }

    func byteCount() async throws(DataCacheError) -> Int? {
        var byteCount = 0
        for cache in caches { byteCount += try await cache.status().byteCount }
        return byteCount
    }
}
