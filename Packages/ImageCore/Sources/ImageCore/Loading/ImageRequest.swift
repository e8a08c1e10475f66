/// A request for an image: its origin, its size, its processors and its priority.
///
/// Two requests are equal if they can share all operations: if they have the same original, headers, target,
/// color space, dynamic range, processors, cache policy, mode and tolerance of truncated files.
public struct ImageRequest: Sendable {
    /// The origin of the encoded bytes.
    public var origin: ImageOrigin
    /// The size to decode to; nil for the stored size.
    public var target: ImageTarget?
    /// The color space of the image. Initially `.automatic` on Apple's platforms, whose views draw Display P3; elsewhere
    /// `.sRGB`.
    public var color = OutputColor.ofViews
    /// The brightness of the image. With more than `.standard`, `Bitmap.hdr` has the pixels for a display of high dynamic
    /// range, of files with a gain map. That takes three times the memory. Processors leave it out.
    public var dynamicRange = DynamicRange.standard
    /// Applied to the decoded image, in order.
    public var processors: [any ImageProcessor]
    /// The initial priority. `ImageTask.priority` changes it later.
    public var priority: RequestPriority
    /// The use of each cache.
    public var cachePolicy: ImageCachePolicy
    /// The stored data that can be used.
    public var mode: ImageLoadMode
    /// Sent with the request. Headers are part of the cache key: with another Authorization, it is another image.
    public var headers: HeaderFields
    /// Identifies the original instead of its URL in operations and memory, for example of signed URLs.
    ///
    /// On disk, the rules of HTTP apply to URLs. Originals of `ImageOrigin.fetch` are stored under this identifier.
    public var identifier: String?
    /// How long the memory cache keeps the image, compared with others. With nil, it is expendable if its original is on
    /// disk after the request, and otherwise preferred.
    public var memoryRetention: MemoryRetention?
    /// Whether to deliver previews while the bytes arrive, if the format and the decoder support them.
    public var isProgressive = false
    /// Whether a truncated file is no error: the image is then its decodable part, and its `completeness` says so.
    public var acceptsTruncated = false
    /// Requests for the image in lower quality, worst first. Tasks deliver each as a preview unless a better one is
    /// available.
    public var lowQuality: [ImageRequest] = []
    /// Values that the loader doesn't read: those of your application, and what views show. Transports receive those of the
    /// request that starts a download (`TransportRequest.userInfo`).
    public var userInfo = ImageUserInfo()

    /// Creates a request for an origin. The other properties have their default values.
    public init(
        _ origin: ImageOrigin, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, cachePolicy: ImageCachePolicy = .all, mode: ImageLoadMode = .standard,
        headers: HeaderFields = [:]
    ) {
        self.origin = origin
        self.target = target
        self.processors = processors
        self.priority = priority
        self.cachePolicy = cachePolicy
        self.mode = mode
        self.headers = headers
    }

    /// Creates a request for a URL. The other properties have their default values.
    ///
    /// The request is sent to the URL as it is. Make it from text with `URL(webAddress:)`: `URL(string:)` encodes a
    /// component twice if it is partly encoded, and that can't be seen afterwards.
    public init(
        url: URL, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, cachePolicy: ImageCachePolicy = .all, mode: ImageLoadMode = .standard,
        headers: HeaderFields = [:]
    ) {
        self.init(
            .url(url), target: target, processors: processors, priority: priority, cachePolicy: cachePolicy, mode: mode,
            headers: headers)
    }

    /// The URL; nil if the original has none.
    public var url: URL? { origin.url }
}

extension ImageRequest: Hashable {
    public static func == (left: ImageRequest, right: ImageRequest) -> Bool {
        RequestKey(left, key: left.cacheKey) == RequestKey(right, key: right.cacheKey)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}

extension ImageRequest {
    /// The key in the memory cache of a loader without rules for URLs. See `ImageLoaderProtocol.cacheKey(for:)`.
    public var cacheKey: ImageCacheKey { cacheKey(urlIdentifier: nil) }

    /// - Parameters:
    ///   - urlIdentifier: Returns the text that identifies the image of a URL; nil for the normalized URL.
    ///   - account: The account for which the image is loaded; nil for none.
    package func cacheKey(urlIdentifier: ((URL) -> String)?, account: String? = nil) -> ImageCacheKey {
        cacheKey(of: OriginalKey.identifier(of: self, urlIdentifier: urlIdentifier), account: account)
    }

    /// - Parameters:
    ///   - identifier: The name of the request's original.
    ///   - account: The account for which the image is loaded; nil for none.
    package func cacheKey(of identifier: String, account: String?) -> ImageCacheKey {
        ImageCacheKey(
            identifier: identifier, target: target, color: color, dynamicRange: dynamicRange,
            processors: processors.map(\.identifier), acceptsTruncated: acceptsTruncated, account: account)
    }

    /// How the original is decoded.
    package var decoding: DecodingRequest {
        DecodingRequest(
            target: target, color: color, dynamicRange: dynamicRange, acceptsTruncated: acceptsTruncated)
    }

    /// Returns the original, whose name is known from the request's key.
    package func originalKey(_ key: ImageCacheKey) -> OriginalKey {
        OriginalKey(identifier: key.identifier, isLocal: origin.isLocal, account: key.account)
    }

    package var original: OriginalKey { originalKey(cacheKey) }

    /// Whether the memory cache can be used.
    package var readsMemory: Bool { cachePolicy.memory.reads && !mode.needsServer }
}

/// What requests have in common that share all operations of one loader.
package struct RequestKey: Hashable, Sendable {
    private let key: ImageCacheKey
    private let cachePolicy: ImageCachePolicy
    private let mode: ImageLoadMode

    /// - Parameter key: The key of the request in the loader.
    package init(_ request: ImageRequest, key: ImageCacheKey) {
        self.key = key
        cachePolicy = request.cachePolicy
        mode = request.mode
    }
}

extension ImageLoaderProtocol {
    package func key(of request: ImageRequest) -> RequestKey {
        RequestKey(request, key: cacheKey(for: request))
    }
}
