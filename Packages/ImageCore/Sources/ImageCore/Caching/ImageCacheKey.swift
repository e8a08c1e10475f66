/// Identifies an image in the memory cache: its original and how it was decoded and processed.
public struct ImageCacheKey: Hashable, Sendable {
    /// Computed once, because a key is looked up more than once. The first property, so that `==` compares it first.
    private let contentHash: Int
    /// Identifies the original: a URL without fragment, or an application's own name for it.
    public let source: String
    /// The size that it was decoded to; nil for the size as stored.
    public let target: ImageTarget?
    /// The identifiers of the processors, in order.
    public let processors: [String]

    /// - Parameters:
    ///   - source: Identifies the original: a URL without fragment, or an application's own name for it.
    ///   - target: The size that it was decoded to; nil for the size as stored.
    ///   - processors: The identifiers of the processors, in order.
    public init(source: String, target: ImageTarget? = nil, processors: [String] = []) {
        (self.source, self.target, self.processors) = (source, target, processors)
        var hasher = Hasher()
        hasher.combine(source)
        if let target { hasher.combine(target.size) }
        for processor in processors { hasher.combine(processor) }
        contentHash = hasher.finalize()
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }
}

/// Identifies encoded bytes on disk: the original's name in full. Implementations choose file names of their own.
public struct DataCacheKey: Hashable, Sendable {
    public let source: String

    public init(source: String) { self.source = source }
}
