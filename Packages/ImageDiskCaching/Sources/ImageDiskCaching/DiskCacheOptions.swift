/// The options of a disk cache. Processes that share a folder must use the same naming and layout.
public struct DiskCacheOptions: Sendable {
    /// The maximum time since an entry was last stored or read. Older entries are misses and are removed.
    ///
    /// The default is `nil`, which means no limit.
    public var ageLimit: Duration?
    /// The number of bytes that stay free on the file system. The default is 64 MiB, and 0 means no limit.
    ///
    /// The cache evicts entries to keep it free. If that is not enough, stores throw `DataCacheError.noSpace`.
    public var minimumFreeSpace = 64 << 20
    /// The scheme that derives file names from keys. The default is `.sha256`.
    public var naming = DiskNaming.sha256
    /// The arrangement of files in subfolders. The default is `.sharded`.
    ///
    /// If a folder has another layout, its entries are removed.
    public var layout = DiskLayout.sharded

    /// Creates options with the default values.
    public init() {}
}

/// The arrangement of the files of entries in subfolders.
public enum DiskLayout: Sendable, CaseIterable {
    /// The files are in 256 subfolders, by the first two digits of their names. For file systems that are slow with large
    /// folders.
    case sharded
    /// All files are in one folder.
    case flat
}
