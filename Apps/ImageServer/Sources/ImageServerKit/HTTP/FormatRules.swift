import ImageCore

/// Which formats results can have beside that of the URL.
struct FormatRules: Hashable, Sendable {
    /// Formats in place of that of the source, if the client accepts them.
    var automatic: Set<ImageFormat> = [.webP]
    /// Formats in place of that of the source and of the URL, if the client accepts them.
    var enforced: Set<ImageFormat> = []
    /// The formats of sources that results keep. The first suitable one is that of other sources.
    var preferred: [ImageFormat] = [.jpeg, .png, .gif]

    /// Whether the result for a format of a URL depends on the Accept field.
    /// - Parameter format: The format; nil if the URL has none.
    func dependOnClient(_ format: ImageFormat?) -> Bool {
        !enforced.isEmpty || (format == nil && !automatic.isEmpty)
    }

    /// Whether the result for a format of a URL can be progressive for some client.
    /// - Parameter format: The format; nil if the URL has none.
    func allowProgressive(_ format: ImageFormat?) -> Bool {
        format.map { !enforced.union([$0]).isDisjoint(with: OutputFormats.progressive) } ?? true
    }
}
