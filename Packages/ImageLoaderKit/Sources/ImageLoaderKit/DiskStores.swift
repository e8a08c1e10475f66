import ImageCore
import ImageDiskCaching

/// The stores of a loader on disk: originals and partial downloads.
struct DiskStores: MaintainedStore {
    let originals: DiskDataCache
    let parts: DiskDataCache?

    func removeAll() async throws(DataCacheFailure) {
        try await originals.removeAll()
        try await parts?.removeAll()
    }

    func removeAll(unusedFor age: Duration) async throws(DataCacheFailure) {
        try await originals.removeAll(olderThan: age)
        try await parts?.removeAll(olderThan: age)
    }

    func byteCount() async throws(DataCacheFailure) -> Int {
        var sum = try await originals.status().totalByteCount
        if let parts { sum += try await parts.status().totalByteCount }
        return sum
    }
}

extension DiskCacheStatus {
    fileprivate var totalByteCount: Int { byteCount + indexByteCount }
}
