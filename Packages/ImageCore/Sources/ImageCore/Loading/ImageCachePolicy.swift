/// The use of each cache by a request.
public struct ImageCachePolicy: Hashable, Sendable {
    /// Access to the memory cache.
    public var memory: CacheAccess
    /// Access to the disk cache.
    public var disk: CacheAccess

    /// Creates a policy. By default, both caches are read and written.
    public init(memory: CacheAccess = .readWrite, disk: CacheAccess = .readWrite) {
        self.memory = memory
        self.disk = disk
    }

    /// Reads and writes both caches.
    public static let all = ImageCachePolicy()
    /// Bypasses the disk cache.
    public static let memoryOnly = ImageCachePolicy(disk: .disabled)
    /// Bypasses the memory cache.
    public static let diskOnly = ImageCachePolicy(memory: .disabled)
    /// Bypasses both caches.
    public static let disabled = ImageCachePolicy(memory: .disabled, disk: .disabled)
}

/// Whether a request reads a cache, and whether it writes what it loads. To write without reading, use
/// `ImageLoadMode.reload`.
@nonexhaustive
public enum CacheAccess: Hashable, Sendable, CaseIterable {
    /// Reads and writes.
    case readWrite
    /// Reads only. Responses that need validation are loaded again.
    case readOnly
    /// Neither reads nor writes.
    case disabled

    /// Whether the request reads the cache.
    public var reads: Bool { self != .disabled }
    /// Whether the request writes what it loads.
    public var writes: Bool { self == .readWrite }
}
