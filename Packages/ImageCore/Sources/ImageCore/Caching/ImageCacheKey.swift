/// Identifies a picture in memory: where it comes from and what was done to it.
///
/// Carries its hash, so that a look-up hashes the text once.
public struct ImageCacheKey: Hashable, Sendable {
    /// What identifies the original: a URL without fragment, or an application's own name for it.
    public let source: String
    /// What was done to it: target size and processors, as text. Empty for the original.
    public let variant: String
    private let hash: Int

    public init(source: String, variant: String = "") {
        self.source = source
        self.variant = variant
        var hasher = Hasher()
        hasher.combine(source)
        hasher.combine(variant)
        hash = hasher.finalize()
    }

    public static func == (left: ImageCacheKey, right: ImageCacheKey) -> Bool {
        left.hash == right.hash && left.source == right.source && left.variant == right.variant
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// Identifies encoded bytes on disk: the original's name in full. Implementations choose file names of their own.
public struct DataCacheKey: Hashable, Sendable {
    public let source: String

    public init(source: String) { self.source = source }
}
