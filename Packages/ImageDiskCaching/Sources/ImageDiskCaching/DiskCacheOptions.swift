/// The options of a disk cache.
public struct DiskCacheOptions: Sendable {
    /// The maximum time since an entry was last stored or read. Older entries are misses and are removed.
    ///
    /// The default is `nil`, which means no limit.
    public var maxUnusedTime: Duration?
    /// The number of bytes that stay free on the file system. The default is 64 MiB, and 0 means no limit.
    ///
    /// The cache evicts entries to keep it free. If that is not enough, stores throw `DataCacheError.noSpace`.
    public var minFreeByteCount = 64 << 20

    /// Creates options with the default values.
    public init() {}
}
