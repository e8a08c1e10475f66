#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where the encoded original of an image comes from.
public enum ImageOrigin: Sendable {
    /// Whatever the transport can load: `http:`, `https:`, `file:`, `data:`.
    case url(URL)
    /// Bytes at hand. The name stands for them: two originals of one name are taken for the same.
    case data(Data, name: String)
    /// Bytes that the application brings itself, from a photo library, for one. The name stands for them, as above.
    ///
    /// Takes a place among the downloads, is shared by name, and is cancelled as a task is. What it brings is kept on disk, if the request's
    /// policy says so, under the name or the request's `identity`, and is as fresh as that: what is kept answers until a reload.
    case fetch(name: String, @Sendable () async throws -> Data)

    /// Bytes at hand under their digest: equal bytes are the same original. Hashes them once, here, at about 3 ns a byte.
    public static func data(_ data: Data) -> ImageOrigin {
        .data(data, name: SHA256.hexadecimalDigest(of: Array(data)))
    }

    /// Nil when the original has no URL.
    public var url: URL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// True for what needs neither network nor disk cache: bytes at hand, `file:` and `data:` URLs.
    public var isLocal: Bool {
        switch self {
        case .data: true
        case .fetch: false
        case .url(let url): url.isLocal
        }
    }

    /// What tells originals apart: a URL without its fragment, or a kind and a name. No URL has a space, so none is taken for a name.
    package var name: String {
        switch self {
        case .data(_, let name): "data \(name)"
        case .fetch(let name, _): "fetch \(name)"
        case .url(let url): url.withoutFragment
        }
    }
}
