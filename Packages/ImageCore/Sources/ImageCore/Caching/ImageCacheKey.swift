/// Identifies a picture in memory: where it comes from and what was done to it.
///
/// Carries its hash, so that a look-up hashes the text once, and is one block of memory, so that a look-up among many finds what it
/// compares in one place. Texts are the same when their UTF-8 is.
public struct ImageCacheKey: Hashable, Sendable {
    private let bytes: ImageCacheKeyBytes
    private let hash: Int

    /// - Parameters:
    ///   - source: what identifies the original: a URL without fragment, or an application's own name for it.
    ///   - target: the size that it was decoded to; nil for the size as stored.
    ///   - processors: the identifiers of the steps after decoding, in order.
    public init(source: String, target: ImageTarget? = nil, processors: [String] = []) {
        bytes = ImageCacheKeyBytes(source, target, processors)
        hash = bytes.hash
    }

    /// What identifies the original.
    public var source: String { bytes.source }

    /// The size that it was decoded to; nil for the size as stored.
    public var target: ImageTarget? { bytes.target }

    /// The identifiers of the steps after decoding, in order.
    public var processors: [String] { bytes.processors }

    public static func == (left: ImageCacheKey, right: ImageCacheKey) -> Bool {
        left.hash == right.hash && left.bytes.isSame(as: right.bytes)
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
