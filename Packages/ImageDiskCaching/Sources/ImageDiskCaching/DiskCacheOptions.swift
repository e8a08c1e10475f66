public import ImageCore

/// How a disk cache works, where that is a matter of taste. Processes that share a folder should have the same naming and layout.
public struct DiskCacheOptions: Sendable {
    public var durability = DiskDurability.processCrash
    /// Entries that were neither stored nor read for longer are misses, and go. Nil for no such limit.
    public var ageLimit: Duration?
    /// So many bytes stay free on the file system: the cache shrinks to keep them so, and stores nothing when that is not enough.
    /// 0 for no such limit.
    public var freeSpaceFloor = 64 << 20
    /// Which entry goes first when room is needed.
    public var policy: any DiskEvictionPolicy = LeastRecentlyUsed()
    public var naming = DiskNaming.sha256
    public var layout = DiskLayout.sharded

    public init() {}
}

/// Where the files of entries lie.
public enum DiskLayout: Sendable, CaseIterable {
    /// In 256 subfolders, by the first two digits of their names: for file systems that are slow with large folders.
    case sharded
    /// All in one folder.
    case flat

    /// As the index tells it.
    var number: UInt64 {
        switch self {
        case .sharded: 1
        case .flat: 2
        }
    }
}

/// How keys become names of files: 64 hexadecimal digits, from 32 bytes that stand for the key.
public struct DiskNaming: Sendable {
    let name: @Sendable (DataCacheKey) -> EntryName

    /// The SHA-256 of the key: no two keys share a name, whoever chooses them.
    public static let sha256 = DiskNaming { EntryName($0) }

    /// A digest of one's own, for instance one with a secret, so that the names in a folder tell nothing about the keys. (The
    /// files themselves contain them.)
    ///
    /// - Parameter digest: four words, uniformly distributed. Two keys with the same digest push each other out of the cache.
    public static func digest(_ digest: @escaping @Sendable (DataCacheKey) -> SIMD4<UInt64>) -> DiskNaming {
        DiskNaming { key in
            let words = digest(key)
            return EntryName(words: (words[0], words[1], words[2], words[3]))
        }
    }
}
