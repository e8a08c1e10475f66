/// Identifies an image in the memory cache: its original and how it was decoded and processed.
public struct ImageCacheKey: Hashable, Sendable {
    /// Computed once for several lookups.
    private let contentHash: Int
    /// Identifies the original: a normalized URL, a name that the application chose, or a digest of a longer text.
    public let identifier: String
    /// The size to which it was decoded; nil for the stored size.
    public let target: ImageTarget?
    /// The color space to which it was decoded.
    public let color: OutputColor
    /// The brightness to which it was decoded.
    public let dynamicRange: DynamicRange
    /// The identifiers of the processors, in order.
    public let processors: [String]
    /// Whether the image may be the decodable part of a truncated file.
    public let acceptsTruncated: Bool
    /// The account for which it was loaded; nil for none.
    public let account: String?

    /// Creates a key from the values of the properties.
    public init(
        identifier: String, target: ImageTarget? = nil, color: OutputColor = .sRGB,
        dynamicRange: DynamicRange = .standard, processors: [String] = [], acceptsTruncated: Bool = false,
        account: String? = nil
    ) {
        self.identifier = identifier
        self.target = target
        self.color = color
        self.dynamicRange = dynamicRange
        self.processors = processors
        self.acceptsTruncated = acceptsTruncated
        self.account = account
        var hasher = Hasher()
        hasher.combine(identifier)
        hasher.combine(account)
        if let target { hasher.combine(target.size) }
        hasher.combine(color)
        if dynamicRange != .standard { hasher.combine(dynamicRange) }
        for processor in processors { hasher.combine(processor) }
        contentHash = hasher.finalize()
    }

    /// Compares texts by their bytes. Texts of which only the Unicode normalization is equal identify different images.
    public static func == (left: ImageCacheKey, right: ImageCacheKey) -> Bool {
        left.contentHash == right.contentHash && left.target == right.target && left.color == right.color
            && left.dynamicRange == right.dynamicRange && left.acceptsTruncated == right.acceptsTruncated
            && left.account.hasSameBytes(as: right.account)
            && left.identifier.hasSameBytes(as: right.identifier) && left.processors.count == right.processors.count
            && zip(left.processors, right.processors).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }

    /// The size of its texts in bytes.
    package var byteCount: Int {
        processors.reduce(identifier.utf8.count + (account?.utf8.count ?? 0)) { $0 + $1.utf8.count }
    }
}

/// Identifies encoded bytes on disk. Implementations choose their own file names.
public struct DataCacheKey: Hashable, Sendable {
    /// The full text that identifies the original.
    public let identifier: String

    /// Creates a key from the text that identifies an original.
    public init(identifier: String) { self.identifier = identifier }

    /// Compares the texts by their bytes, as implementations do.
    public static func == (left: DataCacheKey, right: DataCacheKey) -> Bool {
        left.identifier.hasSameBytes(as: right.identifier)
    }
}

extension String {
    /// Whether both texts have the same UTF-8. `==` compares their Unicode normalization: "é" is equal to "e\u{301}".
    func hasSameBytes(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { right in unsafe left.elementsEqual(right) } }
    }
}

extension String? {
    /// Whether both texts have the same UTF-8, or both are nil.
    package func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
