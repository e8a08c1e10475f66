public import ImageCore

extension ImageLoader {
    /// Returns the current sizes of the caches in bytes. Throws if the disk store fails.
    public func cacheSizes() async throws(DataCacheError) -> CacheSizes {
        CacheSizes(
            memory: configuration.memoryCache?.byteCount,
            disk: try await configuration.transport.maintenance?.byteCount())
    }

    /// Empties the caches, for all accounts. Requests in progress continue, and store what they load. Throws if the disk
    /// store fails.
    ///
    /// - Parameter caches: The caches to empty.
    public func removeAllCachedImages(in caches: CacheSet = .all) async throws(DataCacheError) {
        if caches.contains(.memory) { configuration.memoryCache?.removeAll() }
        if caches.contains(.disk) { try await configuration.transport.maintenance?.removeAll() }
    }

    /// Removes from memory and disk what was neither stored nor read for longer than a time. Images that are shown daily
    /// stay, however old they are. Throws if the disk store fails. A memory cache without a clock is emptied.
    public func removeCachedImages(unusedFor duration: Duration) async throws(DataCacheError) {
        configuration.memoryCache?.removeAll { _, unusedFor in unusedFor.map { $0 > duration } ?? true }
        try await configuration.transport.maintenance?.removeAll(unusedFor: duration)
    }

    /// Cancels all requests in progress, down to the socket, and ends them with `ImageError.shutDown`.
    ///
    /// Later requests fail with the same error, unless the image is in memory. You can still empty the caches.
    public func shutDown() {
        configuration.coalescer.close(throwing: ImageError.shutDown)
    }
}

/// Caches of a loader.
public struct CacheSet: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The memory cache.
    public static let memory = CacheSet(rawValue: 1)
    /// The disk cache, and interrupted downloads.
    public static let disk = CacheSet(rawValue: 2)
    /// All caches.
    public static let all: CacheSet = [.memory, .disk]
}

/// The sizes of a loader's caches in bytes; nil if a cache doesn't report its size.
public struct CacheSizes: Hashable, Sendable {
    /// The size of the memory cache.
    public var memory: Int?
    /// The size of the disk cache.
    public var disk: Int?
}
