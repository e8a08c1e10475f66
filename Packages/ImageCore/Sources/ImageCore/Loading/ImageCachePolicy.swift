/// What a request does with each layer of caches.
public struct ImageCachePolicy: Hashable, Sendable {
    /// Decoded images.
    public var memory: CacheAccess
    /// Encoded originals.
    public var disk: CacheAccess

    public init(memory: CacheAccess = .readWrite, disk: CacheAccess = .readWrite) {
        self.memory = memory
        self.disk = disk
    }

    public static let all = ImageCachePolicy()
    public static let memoryOnly = ImageCachePolicy(disk: .none)
    public static let diskOnly = ImageCachePolicy(memory: .none)
    public static let none = ImageCachePolicy(memory: .none, disk: .none)
}

/// Whether a layer of caches is asked, and whether it is given what was loaded.
public enum CacheAccess: String, Hashable, Sendable, CaseIterable {
    case readWrite
    /// Asked, but given nothing. What would have to be validated first is loaded anew.
    case readOnly
    /// Given what was loaded, but not asked.
    case writeOnly
    case none

    public var reads: Bool { self == .readWrite || self == .readOnly }
    public var writes: Bool { self == .readWrite || self == .writeOnly }
}
