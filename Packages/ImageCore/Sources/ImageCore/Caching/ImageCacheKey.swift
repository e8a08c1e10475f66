/// Identifies a picture in memory: where it comes from and what was done to it.
///
/// Carries its hash, so that a look-up hashes the text once.
public struct ImageCacheKey: Hashable, Sendable {
    /// What identifies the original: a URL without fragment, or an application's own name for it.
    public let source: String
    /// The size that it was decoded to; nil for the size as stored.
    public let target: ImageTarget?
    /// The identifiers of the steps after decoding, in order.
    public let processors: [String]
    private let hash: Int

    public init(source: String, target: ImageTarget? = nil, processors: [String] = []) {
        self.source = source
        self.target = target
        self.processors = processors
        var hasher = Hasher()
        hasher.combine(source)
        if let target { hasher.combine(target.size) }
        if !processors.isEmpty { hasher.combine(processors) }
        hash = hasher.finalize()
    }

    public static func == (left: ImageCacheKey, right: ImageCacheKey) -> Bool {
        left.hash == right.hash && left.target == right.target && left.source == right.source
            && left.processors == right.processors
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The hash that the key carries: no work.
    public var hashValue: Int { hash }
}

/// Identifies encoded bytes on disk: the original's name in full. Implementations choose file names of their own.
public struct DataCacheKey: Hashable, Sendable {
    public let source: String

    public init(source: String) { self.source = source }
}
