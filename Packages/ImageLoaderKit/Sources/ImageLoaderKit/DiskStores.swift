import ImageCore
import ImageDiskCaching
import ImageLoading

/// The stores of a loader on disk: originals and partial downloads.
struct DiskStores: Sendable {
    let originals: DiskDataCache
    let parts: DiskDataCache?

    var maintenance: DiskMaintenance {
        DiskMaintenance { () async throws(DataCacheFailure) in
            try await originals.removeAll()
            try await parts?.removeAll()
        } removeUnused: { age async throws(DataCacheFailure) in
            try await originals.removeAll(olderThan: age)
            try await parts?.removeAll(olderThan: age)
        } byteCount: { () async throws(DataCacheFailure) in
            let partialByteCount = try await parts?.status().byteCount ?? 0
            return try await originals.status().byteCount + partialByteCount
        }
    }
}
