/// Identifies an image in the memory cache: its original and how it was decoded and processed.
public struct ImageCacheKey: Hashable, Sendable {
    /// Computed once for several lookups. It is the first property, so that `==` compares it first.
    private let contentHash: Int
    /// Identifies the original: a normalized URL, a name that the application chose, or a digest of a longer text.
    public let identifier: String
    /// The size to which it was decoded; nil for the stored size.
    public let target: ImageTarget?
    /// The color space to which it was decoded.
    public let color: OutputColor
    /// The identifiers of the processors, in order.
    public let processors: [String]

    /// Creates a key from the values of the properties.
    public init(
        identifier: String, target: ImageTarget? = nil, color: OutputColor = .sRGB, processors: [String] = []
    ) {
        self.identifier = identifier
        self.target = target
        self.color = color
        self.processors = processors
        var hasher = Hasher()
        hasher.combine(identifier)
        if let target { hasher.combine(target.size) }
        hasher.combine(color)
        for processor in processors { hasher.combine(processor) }
        contentHash = hasher.finalize()
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }

    /// The size of its texts in bytes.
    package var byteCount: Int { processors.reduce(identifier.utf8.count) { $0 + $1.utf8.count } }
}

/// Identifies encoded bytes on disk. Implementations choose their own file names.
public struct DataCacheKey: Hashable, Sendable {
    /// The full text that identifies the original.
    public let identifier: String

    /// Creates a key from the text that identifies an original.
    public init(identifier: String) { self.identifier = identifier }
}
