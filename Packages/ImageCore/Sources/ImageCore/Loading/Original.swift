/// What requests ask of an original each time, worked out once for all copies of one.
///
/// Two are equal when requests for them may share bytes.
package final class Original: Hashable, Sendable {
    /// Its name, and a digest of the headers that were asked to be sent.
    ///
    /// A digest, because a key is written to disk in full and headers carry credentials.
    package let source: String
    /// True for what needs neither network nor disk cache.
    package let isLocal: Bool
    /// True for a URL that needs no closer look to be one that a transport can load.
    package let isPlainWeb: Bool
    private let hash: Int

    init(_ origin: ImageOrigin, identity: String?, headers: [String: String]) {
        source = Self.source(identity.map { "identity \($0)" } ?? origin.name, headers)
        isLocal = origin.isLocal
        isPlainWeb = origin.url?.isPlainWeb ?? false
        hash = source.hashValue
    }

    package static func == (left: Original, right: Original) -> Bool {
        left === right || left.hash == right.hash && left.source == right.source
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The hash that it carries: no work.
    package var hashValue: Int { hash }

    private static func source(_ name: String, _ headers: [String: String]) -> String {
        guard !headers.isEmpty else { return name }
        let lines = headers.map { "\($0.key.lowercased()): \($0.value)\n" }.sorted()
        return "\(name) \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8)))"
    }
}
