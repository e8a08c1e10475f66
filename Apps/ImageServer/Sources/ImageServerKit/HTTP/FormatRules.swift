public import ImageCore

/// Which formats results can have beside that of the URL.
public struct FormatRules: Hashable, Sendable {
    /// Formats in place of that of the source, if the client accepts them.
    public var automatic: Set<ImageFormat>
    /// Formats in place of that of the source and of the URL, if the client accepts them.
    public var enforced: Set<ImageFormat>
    /// The formats of sources that results keep. The first suitable one is that of other sources.
    public var preferred: [ImageFormat]

    /// Creates rules.
    public init(
        automatic: Set<ImageFormat> = [.webP], enforced: Set<ImageFormat> = [],
        preferred: [ImageFormat] = [.jpeg, .png, .gif]
    ) {
        self.automatic = automatic
        self.enforced = enforced
        self.preferred = preferred
    }

    /// Whether the result for a format of a URL depends on the Accept field.
    /// - Parameter format: The format; nil if the URL has none.
    func dependOnClient(_ format: ImageFormat?) -> Bool {
        !enforced.isEmpty || (format == nil && !automatic.isEmpty)
    }
}
