/// The origin of an image's encoded bytes.
@nonexhaustive
public enum ImageOrigin: Sendable {
    /// A URL that the transport can load: `http:`, `https:`, `file:`, `data:`.
    case url(URL)
    /// Bytes in memory. Originals with equal names count as equal.
    case data(Data, name: String)
    /// A closure that loads the bytes, for example from a photo library. Originals with equal names count as equal.
    ///
    /// It runs once for all requests with its name. If the request's policy allows it, the bytes are stored on disk,
    /// under the name or the request's `identifier`, and are used until a reload.
    ///
    /// It can use the loader that calls it, and runs in no lane, so limit expensive work in it yourself. A request that
    /// would wait for the closure that makes it fails with `ImageError.circularFetch`.
    case fetch(name: String, @Sendable () async throws -> Data)

    /// Bytes in memory, named by their SHA-256 digest.
    ///
    /// All bytes are read on the calling thread. For large ones on the main actor, choose a name: `.data(_:name:)`.
    public static func data(hashing data: Data) -> ImageOrigin {
        .data(data, name: SHA256.hexadecimalDigest(of: Array(data)))
    }

    /// The URL; nil if the original has none.
    public var url: URL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// The server, for limits; nil if the original has no URL with a host.
    package var server: String? { url?.host().flatMap { $0.isEmpty ? nil : url?.server } }

    /// Whether it needs neither network nor disk cache: bytes in memory, `file:` and `data:` URLs.
    package var isLocal: Bool {
        switch self {
        case .data: true
        case .fetch: false
        case .url(let url): url.isLocal
        }
    }

    /// Returns the text that identifies the original: the URL's, or a kind and a name. Only the latter has spaces.
    ///
    /// - Parameter urlIdentifier: Identifies URLs; nil for the normalized URL.
    func identifier(urlIdentifier: ((URL) -> String)?) -> String {
        switch self {
        case .data(_, let name): return "data \(name)"
        case .fetch(let name, _): return "fetch \(name)"
        case .url(let url):
            guard let urlIdentifier else { return url.normalizedText }
            let text = urlIdentifier(url)
            return text.utf8.contains(UInt8(ascii: " ")) ? "url \(text)" : text
        }
    }
}

extension URL {
    /// The scheme, host and port in lower case, with the port of the scheme if the URL has none.
    package var server: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host()?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }

    /// Whether it is a `file:` or `data:` URL.
    var isLocal: Bool { ["file:", "data:"].contains(absoluteString.prefix(5).lowercased()) }
}

/// Identifies an original. Requests with equal originals can share bytes.
package struct OriginalKey: Hashable, Sendable {
    /// The name of the origin, and a digest of the request's headers, which can contain credentials.
    package let identifier: String
    /// Whether it needs neither network nor disk cache.
    package let isLocal: Bool
    /// The account for which it is loaded; nil for none.
    package let account: String?
    /// Computed once, because each request looks up its original several times.
    private let identifierHash: Int

    init(identifier: String, isLocal: Bool, account: String?) {
        self.identifier = identifier
        self.isLocal = isLocal
        self.account = account
        identifierHash = identifier.hashValue
    }

    package static func == (left: OriginalKey, right: OriginalKey) -> Bool {
        left.identifierHash == right.identifierHash && left.identifier.hasSameBytes(as: right.identifier)
            && left.account.hasSameBytes(as: right.account)
    }

    /// Whether a key in the memory cache is that of an image of the original.
    package func isOriginal(of key: ImageCacheKey) -> Bool {
        key.identifier.hasSameBytes(as: identifier) && key.account.hasSameBytes(as: account)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identifierHash) }

    /// The maximum length of an identifier in UTF-8. Most URLs are shorter, so that their lookup computes no digest.
    static let maxByteCount = 1_024

    /// Returns the text that identifies an original. Different originals have different texts.
    static func identifier(of request: ImageRequest, urlIdentifier: ((URL) -> String)?) -> String {
        var identifier =
            request.identifier.map { "identifier \($0)" } ?? request.origin.identifier(urlIdentifier: urlIdentifier)
        if !request.headers.isEmpty {
            let lines = request.headers.map { [$0.name.lowercased(), $0.value].textWithLengths }
            identifier = "headers \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8))) \(identifier)"
        }
        guard identifier.utf8.count > maxByteCount else { return identifier }
        return "digest \(SHA256.hexadecimalDigest(of: Array(identifier.utf8)))"
    }
}

extension Sequence<String> {
    /// The texts, each after its length in UTF-8. Different lists have different texts, whatever the texts contain.
    package var textWithLengths: String { map(\.textWithLength).joined() }
}

extension String {
    /// The text after its length in UTF-8.
    package var textWithLength: String { "\(utf8.count):\(self)" }
}
