import ImageCore
import ImageDiskCaching
import ImageLoading

/// The originals and the partial downloads of a loader.
struct DiskFolders: DiskMaintenance {
    let caches: [DiskDataCache]

    func removeAll() async throws(DataCacheError) {
        try await inEach { cache throws(DataCacheError) in try await cache.removeAll() }
    }

    func removeAll(unusedFor age: Duration) async throws(DataCacheError) {
        try await inEach { cache throws(DataCacheError) in _ = try await cache.removeAll(unusedFor: age) }
    }

    /// Calls `remove` with each cache, even if it fails with an earlier one. Throws the first failure.
    private func inEach(
        _ remove: (DiskDataCache) async throws(DataCacheError) -> Void
    ) async throws(DataCacheError) {
        var first: DataCacheError?
        for cache in caches {
            do throws(DataCacheError) { try await remove(cache) } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    func byteCount() async throws(DataCacheError) -> Int? {
        var byteCount = 0
        for cache in caches { byteCount += try await cache.status().byteCount }
        return byteCount
    }
}
