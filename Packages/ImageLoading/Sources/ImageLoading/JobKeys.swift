public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What two requests must have in common to share a download: the same original, looked for in the same places.
public struct DataJobKey: Hashable, Sendable {
    public let source: String
    public let route: FetchRoute
}

/// What two requests must have in common to share a picture: the same original at the same size with the same steps.
public struct ImageJobKey: Hashable, Sendable {
    public let image: ImageCacheKey
    public let route: FetchRoute
    public let usesMemory: Bool

    init(_ request: ImageRequest, image: ImageCacheKey, reloadCount: UInt64 = 0) {
        self.image = image
        route = FetchRoute(request, reloadCount: reloadCount)
        usesMemory = request.cachePolicy.usesMemory
    }
}

/// Where the bytes of an original may come from.
public struct FetchRoute: Hashable, Sendable {
    public let usesDisk: Bool
    public let reloads: Bool
    public let isOffline: Bool
    /// How often the original had been reloaded, so that nobody joins work that is older than a reload.
    let reloadCount: UInt64

    init(_ request: ImageRequest, reloadCount: UInt64 = 0) {
        self.reloadCount = reloadCount
        usesDisk = request.cachePolicy.usesDisk && !request.isLocal
        reloads = request.reloads
        isOffline = request.isOffline && !request.isLocal
    }
}

extension ImageRequest {
    /// True for `file:` and `data:` URLs, which need neither network nor disk cache.
    var isLocal: Bool {
        switch url.scheme?.lowercased() {
        case "file", "data": true
        default: false
        }
    }

    /// What identifies the original: the URL without its fragment, and a digest of the headers that were asked to be sent.
    ///
    /// A digest, because a key is written to disk in full and headers carry credentials.
    var source: String {
        let text = url.absoluteString
        let address = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
        guard !headers.isEmpty else { return address }
        let lines = headers.map { "\($0.key.lowercased()): \($0.value)\n" }.sorted()
        return "\(address) \(SHA256.hexadecimalDigest(of: Array(lines.joined().utf8)))"
    }

    var imageKey: ImageCacheKey {
        ImageCacheKey(source: source, target: target, processors: processors.map(\.identifier))
    }

    var jobKey: ImageJobKey { ImageJobKey(self, image: imageKey) }
}
