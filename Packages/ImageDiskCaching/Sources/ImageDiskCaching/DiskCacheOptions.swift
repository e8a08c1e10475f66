public import ImageCore

/// The options of a disk cache. Processes that share a folder must use the same naming and layout.
public struct DiskCacheOptions: Sendable {
    /// The events that stored entries survive. The default is `.processCrash`.
    public var durability = DiskDurability.processCrash
    /// The maximum time since an entry was last stored or read. Older entries are misses and are removed.
    ///
    /// The default is `nil`, which means no limit.
    public var ageLimit: Duration?
    /// The number of bytes that stay free on the file system. The default is 64 MiB, and 0 means no limit.
    ///
    /// The cache evicts entries to keep this space free. If that is not enough, stores throw
    /// `DataCacheFailure.noSpace`.
    public var minimumFreeSpace = 64 << 20
    /// The policy that selects the entry to evict. The default is `LeastRecentlyUsed`.
    public var policy: any DiskEvictionPolicy = LeastRecentlyUsed()
    /// The scheme that derives file names from keys. The default is `.sha256`.
    public var naming = DiskNaming.sha256
    /// The arrangement of files in subfolders. The default is `.sharded`.
    public var layout = DiskLayout.sharded

    /// Creates options with the default values.
    public init() {}
}

/// The arrangement of the files of entries in subfolders.
public enum DiskLayout: Sendable, CaseIterable {
    /// The files are in 256 subfolders, by the first two digits of their names.
    ///
    /// Use this layout for file systems that are slow with large folders.
    case sharded
    /// All files are in one folder.
    case flat

    /// The number of the layout in the index.
    var number: UInt64 {
        switch self {
        case .sharded: 1
        case .flat: 2
        }
    }
}

/// A scheme that derives file names from keys. A name has 64 hexadecimal digits, which represent 32 bytes.
public struct DiskNaming: Sendable {
    let name: @Sendable (DataCacheKey) -> EntryName

    /// Names are the SHA-256 of the key (FIPS 180-4). Keys don't share a name, even if an attacker chooses them.
    public static let sha256 = DiskNaming { EntryName($0) }

    /// Returns a scheme with a custom digest, for example a keyed hash, so that file names reveal nothing about the
    /// keys.
    ///
    /// The files still contain the keys. Use `EncryptionTransform` of ImageTieredCaching to encrypt them.
    ///
    /// - Parameter digest: Returns four uniformly distributed words. Keys with the same digest replace each other in
    ///   the cache.
    public static func digest(_ digest: @escaping @Sendable (DataCacheKey) -> SIMD4<UInt64>) -> DiskNaming {
        DiskNaming { key in
            let words = digest(key)
            return EntryName(words: (words[0], words[1], words[2], words[3]))
        }
    }
}
