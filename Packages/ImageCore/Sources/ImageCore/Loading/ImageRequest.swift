#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request for an image: its origin, its form and its priority.
///
/// Two requests are equal if they can share all work and the result: the same original with the same headers, at the same
/// target, with the same processors, cache policy and mode. The other properties make no difference. Requests that are not
/// equal may still share the download.
public struct ImageRequest: Sendable {
    /// Where the original comes from.
    public var origin: ImageOrigin
    /// The size to decode to; nil for the size as stored.
    public var target: ImageTarget?
    /// Applied to the decoded image, in order.
    public var processors: [any ImageProcessor]
    /// The priority at the start. `ImageTask.priority` changes it later.
    public var priority: RequestPriority
    public var cachePolicy: ImageCachePolicy
    public var mode: ImageLoadMode
    /// Sent with the request. Headers are part of the cache's identity: another Authorization is another image.
    public var headers: [String: String]
    /// Identifies the original in place of its URL, for URLs that change although the image does not, as signed URLs do.
    /// Requests with one identity share work and memory. On disk, the rules of HTTP apply; originals of the application's own
    /// fetches are stored under this identity.
    public var identity: String?
    /// Whether previews are wanted while the bytes arrive, if the format and the decoder support them.
    public var isProgressive = false
    /// Whether a larger image in the memory cache will do: one that was decoded to another target, shows the same and covers this one.
    public var acceptsLarger = false
    /// Requests for versions of the image in lower quality, worst first. Tasks show each as a preview until there is a better one.
    public var lowQuality: [ImageRequest] = []
    /// Retries shared with other requests, for example those of one page; nil for the loader's. Of requests that share a
    /// download, the one that started it pays.
    public var retryBudget: RetryBudget?
    /// Placeholder, transition and user info: values for others, which the loader does not read.
    public var options = ImageRequestOptions()

    public init(
        _ origin: ImageOrigin, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, cachePolicy: ImageCachePolicy = .all, mode: ImageLoadMode = .standard,
        headers: [String: String] = [:]
    ) {
        self.origin = origin
        self.target = target
        self.processors = processors
        self.priority = priority
        self.cachePolicy = cachePolicy
        self.mode = mode
        self.headers = headers
    }

    public init(
        url: URL, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, cachePolicy: ImageCachePolicy = .all, mode: ImageLoadMode = .standard,
        headers: [String: String] = [:]
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
        left.mode == right.mode && left.cachePolicy == right.cachePolicy && left.cacheKey == right.cacheKey
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}

extension ImageRequest {
    /// The key in the memory cache.
    public var cacheKey: ImageCacheKey {
        let source = Original.source(origin, identity: identity, headers: headers)
        return ImageCacheKey(source: source, target: target, processors: processors.map(\.identifier))
    }

    package var original: Original { Original(origin, identity: identity, headers: headers) }

    /// Whether an image in the memory cache may answer.
    package var readsMemory: Bool { cachePolicy.memory.reads && mode.acceptsMemory }
}
