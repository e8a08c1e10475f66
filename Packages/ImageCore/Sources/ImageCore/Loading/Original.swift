/// Identifies an original. Requests with equal originals can share bytes.
package struct Original: Hashable, Sendable {
    /// The name, and a digest of the headers that are sent with the request.
    ///
    /// It contains a digest because keys are written to disk and headers can contain credentials.
    package let source: String
    /// Whether it needs neither network nor disk cache.
    package let isLocal: Bool
    /// Computed once, because each request looks up its original several times.
    private let sourceHash: Int

    init(_ origin: ImageOrigin, identity: String?, headers: [String: String]) {
        self.init(source: Self.source(origin, identity: identity, headers: headers), isLocal: origin.isLocal)
    }

    init(source: String, isLocal: Bool) {
        self.source = source
        self.isLocal = isLocal
        sourceHash = source.hashValue
    }

    package static func == (left: Original, right: Original) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(sourceHash) }

    /// Returns the text that identifies an original.
    static func source(_ origin: ImageOrigin, identity: String?, headers: [String: String]) -> String {
        let name = identity.map { "identity \($0)" } ?? origin.name
        guard !headers.isEmpty else { return name }
        let lines = headers.map { "\($0.key.lowercased()): \($0.value)\n" }.sorted()
        return "\(name) \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8)))"
    }
}
