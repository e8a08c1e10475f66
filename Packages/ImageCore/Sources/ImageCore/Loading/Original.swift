#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Identifies an original. Requests with equal originals can share bytes.
package struct Original: Hashable, Sendable {
    /// The name, and a digest of the headers that are sent with the request. A digest replaces long texts.
    ///
    /// Keys are written to disk and headers can contain credentials, and `data:` URLs can be as large as images.
    package let source: String
    /// Whether it needs neither network nor disk cache.
    package let isLocal: Bool
    /// Computed once, because each request looks up its original several times.
    private let sourceHash: Int

    init(source: String, isLocal: Bool) {
        self.source = source
        self.isLocal = isLocal
        sourceHash = source.hashValue
    }

    package static func == (left: Original, right: Original) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(sourceHash) }

    /// The maximum length of a source in UTF-8. Most URLs are shorter, so that their lookup computes no digest.
    static let maxByteCount = 1_024

    /// Returns the text that identifies an original. Different originals have different texts.
    static func source(of request: ImageRequest, urlIdentity: ((URL) -> String)?) -> String {
        var source = request.identity.map { "identity \($0)" } ?? request.origin.name(urlIdentity: urlIdentity)
        if !request.headers.isEmpty {
            let lines = request.headers.map { [$0.key.lowercased(), $0.value].textWithLengths }.sorted()
            source = "headers \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8))) \(source)"
        }
        guard source.utf8.count > maxByteCount else { return source }
        return "digest \(SHA256.hexadecimalDigest(of: Array(source.utf8)))"
    }
}
