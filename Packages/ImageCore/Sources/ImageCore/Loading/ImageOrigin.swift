#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The origin of an image's encoded bytes.
public enum ImageOrigin: Sendable {
    /// A URL that the transport can load: `http:`, `https:`, `file:`, `data:`.
    case url(URL)
    /// Bytes in memory. Originals with equal names count as equal.
    case data(Data, name: String)
    /// A closure that loads the bytes, for example from a photo library. Originals with equal names count as equal.
    ///
    /// It runs once for all requests with its name, and is cancelled with its task. If the request's policy allows it,
    /// the bytes are stored on disk, under the name or the request's `identity`, and are used until a reload.
    ///
    /// It can use the loader that calls it, to any depth: it runs in no lane, so it holds no slot while it waits. Limit
    /// expensive work in it yourself. A request that would wait for the closure that makes it fails with
    /// `ImageError.circularFetch`.
    case fetch(name: String, @Sendable () async throws -> Data)

    /// Bytes in memory, named by their digest. They are hashed once, which takes about 3 ns per byte. The text of a
    /// `data:` URL is hashed for each lookup.
    public static func data(_ data: Data) -> ImageOrigin {
        .data(data, name: SHA256.hexadecimalDigest(of: Array(data)))
    }

    /// The URL; nil if the original has none.
    public var url: URL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// Whether it needs neither network nor disk cache: bytes in memory, `file:` and `data:` URLs.
    public var isLocal: Bool {
        switch self {
        case .data: true
        case .fetch: false
        case .url(let url): url.isLocal
        }
    }

    /// Returns the text that identifies the original: a URL's identity, or a kind and a name. Only the latter has spaces.
    ///
    /// - Parameter urlIdentity: Identifies URLs; nil for the normalized URL.
    func name(urlIdentity: ((URL) -> String)?) -> String {
        switch self {
        case .data(_, let name): return "data \(name)"
        case .fetch(let name, _): return "fetch \(name)"
        case .url(let url):
            guard let urlIdentity else { return url.normalizedText }
            let text = urlIdentity(url)
            return text.utf8.contains(UInt8(ascii: " ")) ? "url \(text)" : text
        }
    }
}

extension URL {
    /// Whether it is a `file:` or `data:` URL.
    var isLocal: Bool { ["file:", "data:"].contains(absoluteString.prefix(5).lowercased()) }
}
