/// Identifies an original: two are equal if requests for them may share bytes.
package struct Original: Hashable, Sendable {
    /// Its name, and a digest of the headers that are sent with the request.
    ///
    /// A digest, because a key is written to disk in full and headers carry credentials.
    package let source: String
    /// Whether it needs neither network nor disk cache.
    package let isLocal: Bool

    init(_ origin: ImageOrigin, identity: String?, headers: [String: String]) {
        source = Self.source(origin, identity: identity, headers: headers)
        isLocal = origin.isLocal
    }

    package static func == (left: Original, right: Original) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }

    /// The text that identifies an original.
    static func source(_ origin: ImageOrigin, identity: String?, headers: [String: String]) -> String {
        let name = identity.map { "identity \($0)" } ?? origin.name
        guard !headers.isEmpty else { return name }
        let lines = headers.map { "\($0.key.lowercased()): \($0.value)\n" }.sorted()
        return "\(name) \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8)))"
    }
}
