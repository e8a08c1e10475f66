#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What picture is wanted, in what form, how urgently.
public struct ImageRequest: Sendable {
    public var url: URL
    /// The size to decode to; nil for the size as stored.
    public var target: ImageTarget?
    /// Steps after decoding, in order.
    public var processors: [any ImageProcessor]
    public var priority: RequestPriority
    public var cachePolicy: ImageCachePolicy
    /// Goes to the network even if a cache has the answer, and stores the new one. Pictures of it at other sizes, or after
    /// other steps, that are in memory stay there.
    public var reloads: Bool
    /// Never goes to the network: what no cache has is `ImageError.offline`. What is out of date is shown, and its source says so.
    public var isOffline: Bool
    /// Sent with the request. Headers are part of the cache's identity: another Authorization is another picture.
    public var headers: [String: String]
    /// The retries that it shares with others, a page of them for one; nil for those of the loader. Of requests that share a download,
    /// the one that started it pays.
    public var retryBudget: RetryBudget?

    public init(
        url: URL, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal,
        cachePolicy: ImageCachePolicy = .all, reloads: Bool = false, isOffline: Bool = false,
        headers: [String: String] = [:]
    ) {
        self.url = url
        self.target = target
        self.processors = processors
        self.priority = priority
        self.cachePolicy = cachePolicy
        self.reloads = reloads
        self.isOffline = isOffline
        self.headers = headers
    }
}

/// Which caches a request reads and writes.
public enum ImageCachePolicy: String, Sendable, CaseIterable {
    case all, memoryOnly, diskOnly, none

    public var usesMemory: Bool { self == .all || self == .memoryOnly }
    public var usesDisk: Bool { self == .all || self == .diskOnly }
}
