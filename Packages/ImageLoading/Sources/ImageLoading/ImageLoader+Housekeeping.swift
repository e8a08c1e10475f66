public import ImageCore
import Synchronization

extension ImageLoader {
    /// What has been done so far. Counting costs a request a few short holds of a lock.
    public var statistics: ImageLoaderStatistics { books.statistics }

    /// What the caches hold now. Throws for a broken store alone.
    public func cacheSizes() async throws(DataCacheFailure) -> CacheSizes {
        CacheSizes(memory: configuration.memoryCache?.byteCount, disk: try await configuration.diskStore?.byteCount())
    }

    /// Empties memory and disk. Work that is under way goes on, and keeps what it brings.
    ///
    /// Throws for a broken store alone; memory is empty all the same.
    public func removeAll() async throws(DataCacheFailure) {
        emptyMemory()
        try await configuration.diskStore?.removeAll()
    }

    /// Empties memory, which knows no ages, and removes from disk what was neither stored nor read for longer than `age`.
    ///
    /// Throws for a broken store alone; memory is empty all the same.
    public func removeAll(olderThan age: Duration) async throws(DataCacheFailure) {
        emptyMemory()
        try await configuration.diskStore?.removeAll(unusedFor: age)
    }

    /// Ends the loader: whatever is under way is cancelled, down to the socket, and told so once, with `ImageError.invalidated`. No work is begun any
    /// more: later requests fail with the same error at once, unless memory has the picture, or the request itself can't be.
    ///
    /// Returns when all is told; what was under way winds down then. Pictures in memory are given still, in each way; caches can be measured and
    /// emptied still. Done twice is as done once. It closes the coalescers: loaders that share one end together.
    public func invalidate() {
        configuration.imageCoalescer.close(throwing: ImageError.invalidated)
        configuration.dataCoalescer.close(throwing: ImageError.invalidated)
    }

    private func emptyMemory() {
        configuration.memoryCache?.removeAll()
        sizes.withLock { $0.removeAll() }
    }
}

/// The numbers of a loader, behind a lock.
final class StatisticsBooks: Sendable {
    private let numbers = Mutex(ImageLoaderStatistics())

    var statistics: ImageLoaderStatistics { numbers.withLock { $0 } }

    func change(_ event: (inout ImageLoaderStatistics) -> Void) { numbers.withLock { event(&$0) } }
}
