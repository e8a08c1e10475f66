public import ImageCore

/// The options of a disk cache. Processes that share a folder must use the same naming and layout.
public struct DiskCacheOptions: Sendable {
    /// What stored entries survive. The default is `.processCrash`.
    public var durability = DiskDurability.processCrash
    /// Entries that were neither stored nor read for longer than this are misses and are removed. Nil means no limit.
    public var ageLimit: Duration?
    /// The number of bytes that stay free on the file system. 0 means no limit.
    ///
    /// The cache evicts entries to keep this space free. If that is not enough, it refuses to store entries.
    public var freeSpaceFloor = 64 << 20
    /// Decides which entry is evicted first. The default is `LeastRecentlyUsed`.
    public var policy: any DiskEvictionPolicy = LeastRecentlyUsed()
    /// How keys become file names.
    public var naming = DiskNaming.sha256
    /// Where the files are stored.
    public var layout = DiskLayout.sharded

    public init() {}
}

/// Where the files of entries are stored.
public enum DiskLayout: Sendable, CaseIterable {
    /// In 256 subfolders, by the first two digits of their names. Use it for file systems that are slow with large folders.
    case sharded
    /// In one folder.
    case flat

    /// The number of the layout in the index.
    var number: UInt64 {
        switch self {
        case .sharded: 1
        case .flat: 2
        }
    }
}

/// How keys become file names. A name has 64 hexadecimal digits, which represent 32 bytes.
public struct DiskNaming: Sendable {
    let name: @Sendable (DataCacheKey) -> EntryName

    /// The SHA-256 of the key. No two keys share a name, even if an attacker chooses them.
    public static let sha256 = DiskNaming { EntryName($0) }

    /// A digest that you compute, for example a keyed hash, so that file names reveal nothing about the keys.
    ///
    /// The files still contain the keys. Use `EncryptionTransform` to encrypt them.
    /// - Parameter digest: returns four uniformly distributed words. Keys with the same digest replace each other in the cache.
    public static func digest(_ digest: @escaping @Sendable (DataCacheKey) -> SIMD4<UInt64>) -> DiskNaming {
        DiskNaming { key in
            let words = digest(key)
            return EntryName(words: (words[0], words[1], words[2], words[3]))
        }
    }
}
