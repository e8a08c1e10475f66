public import ImageCore
import Synchronization

extension ImageLoader {
    /// Counts of requests, cache lookups and bytes since the loader was created.
    public var statistics: ImageLoaderStatistics { events.statistics }

    /// Returns the current sizes of the caches in bytes. Throws if the disk store fails.
    public func cacheSizes() async throws(DataCacheFailure) -> CacheSizes {
        CacheSizes(
            memory: configuration.memoryCache?.byteCount,
            disk: try await configuration.transport.maintenance?.byteCount())
    }

    /// Removes everything from memory and disk. Requests in progress continue, and store what they load.
    ///
    /// Throws if the disk store fails. The memory cache is emptied nevertheless.
    public func removeAll() async throws(DataCacheFailure) {
        removeAllFromMemory()
        try await configuration.transport.maintenance?.removeAll()
    }

    /// Removes from memory and disk what was neither stored nor read for longer than `age`.
    ///
    /// Also removes all images from a memory cache without a clock. Throws if the disk store fails, but removes the
    /// images from memory nevertheless.
    public func removeAll(olderThan age: Duration) async throws(DataCacheFailure) {
        configuration.memoryCache?.removeAll { _, unusedFor in unusedFor.map { $0 > age } ?? true }
        try await configuration.transport.maintenance?.removeUnused(age)
    }

    /// Cancels all requests in progress, down to the socket, and ends them with `ImageError.invalidated`.
    ///
    /// Later requests fail with the same error, unless the image is in memory or the request is invalid. You can still
    /// measure and empty the caches. This closes the coalescer, so it also ends loaders that share it.
    public func invalidate() {
        configuration.coalescer.close(throwing: ImageError.invalidated)
    }

    private func removeAllFromMemory() {
        configuration.memoryCache?.removeAll()
        sizes.withLock { $0.removeAll() }
    }
}
