#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Identifies an original. Requests with equal originals can share bytes.
package struct Original: Hashable, Sendable {
    /// The name of the origin, and a digest of the headers that are sent with the request. A digest replaces long texts.
    ///
    /// Keys are written to disk and headers can contain credentials, and `data:` URLs can be as large as images.
    package let name: String
    /// Whether it needs neither network nor disk cache.
    package let isLocal: Bool
    /// Computed once, because each request looks up its original several times.
    private let nameHash: Int

    init(name: String, isLocal: Bool) {
        self.name = name
        self.isLocal = isLocal
        nameHash = name.hashValue
    }

    package static func == (left: Original, right: Original) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(nameHash) }

    /// The maximum length of a name in UTF-8. Most URLs are shorter, so that their lookup computes no digest.
    static let maxByteCount = 1_024

    /// Returns the text that identifies an original. Different originals have different texts.
    static func name(of request: ImageRequest, urlIdentity: ((URL) -> String)?) -> String {
        var name = request.identity.map { "identity \($0)" } ?? request.origin.name(urlIdentity: urlIdentity)
        if !request.headers.isEmpty {
            let lines = request.headers.map { [$0.key.lowercased(), $0.value].textWithLengths }.sorted()
            name = "headers \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8))) \(name)"
        }
        guard name.utf8.count > maxByteCount else { return name }
        return "digest \(SHA256.hexadecimalDigest(of: Array(name.utf8)))"
    }
}
