public import ImageCore

extension ImageLoader {
    /// Returns the current sizes of the caches in bytes. Throws if the disk store fails.
    public func cacheSizes() async throws(DataCacheError) -> CacheSizes {
        CacheSizes(
            memory: configuration.memoryCache?.byteCount,
            disk: try await configuration.transport.maintenance?.byteCount())
    }

    /// Removes everything from memory and disk. Requests in progress continue, and store what they load. Throws if the
    /// disk store fails.
    public func removeAll() async throws(DataCacheError) {
        configuration.memoryCache?.removeAll()
        try await configuration.transport.maintenance?.removeAll()
    }

    /// Removes from memory and disk what was neither stored nor read for longer than `age`. Throws if the disk store
    /// fails. A memory cache without a clock is emptied.
    public func removeAll(olderThan age: Duration) async throws(DataCacheError) {
        configuration.memoryCache?.removeAll { _, unusedFor in unusedFor.map { $0 > age } ?? true }
        try await configuration.transport.maintenance?.removeAll(unusedFor: age)
    }

    /// Cancels all requests in progress, down to the socket, and ends them with `ImageError.invalidated`.
    ///
    /// Later requests fail with the same error, unless the image is in memory. You can still empty the caches.
    public func invalidate() {
        configuration.coalescer.close(throwing: ImageError.invalidated)
    }
}

/// The sizes of a loader's caches in bytes; nil if a cache doesn't report its size.
public struct CacheSizes: Hashable, Sendable {
    /// The size of the memory cache.
    public var memory: Int?
    /// The size of the disk cache.
    public var disk: Int?

    /// Creates sizes in bytes.
    public init(memory: Int?, disk: Int?) {
        self.memory = memory
        self.disk = disk
    }
}
