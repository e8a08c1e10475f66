import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What picture is wanted, in what form, how urgently.
///
/// Two requests are equal when one may have the other's answer, and the whole of the work for it: the same original under the same
/// headers, at the same target, after the same steps, on the same way through the caches. How urgent they are, who pays for
/// retries, whether they want previews, what they accept in place of the picture, and what travels in `options` makes no difference. Requests that are not equal may still share the download.
///
/// A copy costs one reference. Changing how urgent it is, how it goes through the caches and the like is free; changing what it asks for
/// makes anew what the copies share.
public struct ImageRequest: Sendable {
    private var details: Details
    /// The size to decode to; nil for the size as stored.
    public var target: ImageTarget?
    /// Where it begins. `ImageTask.priority` changes it later.
    public var priority: RequestPriority
    public var cachePolicy: ImageCachePolicy
    public var mode: ImageLoadMode
    /// Whether previews are wanted while the bytes come in, where format and decoder have any.
    public var isProgressive = false
    /// Whether a larger picture that is in memory will do: one decoded to another target, which shows the same and covers this one.
    public var acceptsLarger = false

    public init(
        _ origin: ImageOrigin, target: ImageTarget? = nil, processors: [any ImageProcessor] = [],
        priority: RequestPriority = .normal, cachePolicy: ImageCachePolicy = .all, mode: ImageLoadMode = .standard,
        headers: [String: String] = [:]
    ) {
        details = Details(Details.Values(origin: origin, processors: processors, headers: headers))
        self.target = target
        self.priority = priority
        self.cachePolicy = cachePolicy
        self.mode = mode
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

    /// Nil when the original has no URL.
    public var url: URL? { origin.url }
}

extension ImageRequest {
    public var origin: ImageOrigin {
        get { details.values.origin }
        set { change { $0.origin = newValue } }
    }

    /// Names the original in place of its URL, where that changes although the picture doesn't, as signed URLs do: requests of
    /// one name share work and memory. On disk it is the rules of HTTP that count, and for a fetch of the application's own this name.
    public var identity: String? {
        get { details.values.identity }
        set { change { $0.identity = newValue } }
    }

    /// Steps after decoding, in order.
    public var processors: [any ImageProcessor] {
        get { details.values.processors }
        set { change { $0.processors = newValue } }
    }

    /// Requests for lesser pictures of the same, worst first: each is shown as a preview by tasks, until there is better.
    public var lowQuality: [ImageRequest] {
        get { details.values.lowQuality }
        set { change { $0.lowQuality = newValue } }
    }

    /// Sent with the request. Headers are part of the cache's identity: another Authorization is another picture.
    public var headers: [String: String] {
        get { details.values.headers }
        set { change { $0.headers = newValue } }
    }

    /// The retries that it shares with others, a page of them for one; nil for those of the loader. Of requests that share a download,
    /// the one that started it pays.
    public var retryBudget: RetryBudget? {
        get { details.values.retryBudget }
        set { change { $0.retryBudget = newValue } }
    }

    /// Placeholder, transition, user info: what others want to know, and the loader does not.
    public var options: ImageRequestOptions {
        get { details.values.options }
        set { change { $0.options = newValue } }
    }

    private mutating func change(_ body: (inout Details.Values) -> Void) {
        var values = details.values
        body(&values)
        details = Details(values)
    }
}

/// What of a request lies in many places, for all copies, with what is worked out of it when somebody asks for it first.
private final class Details: Sendable {
    struct Values: Sendable {
        var origin: ImageOrigin
        var identity: String?
        var processors: [any ImageProcessor]
        var lowQuality: [ImageRequest] = []
        var headers: [String: String]
        var retryBudget: RetryBudget?
        var options = ImageRequestOptions()
    }

    private struct Known {
        var original: Original?
        /// The key of the picture at one target, the first that was asked for: few copies have another.
        var key: (target: ImageTarget?, key: ImageCacheKey)?
    }

    let values: Values
    private let known = Mutex(Known())

    init(_ values: Values) { self.values = values }

    var original: Original { known.withLock { original(&$0) } }

    func key(_ target: ImageTarget?) -> ImageCacheKey {
        known.withLock { known in
            if let (knownTarget, key) = known.key, knownTarget == target { return key }
            let original = original(&known)
            let key = ImageCacheKey(
                source: original.source, target: target, processors: values.processors.map(\.identifier))
            if known.key == nil { known.key = (target, key) }
            return key
        }
    }

    private func original(_ known: inout Known) -> Original {
        if let original = known.original { return original }
        let original = Original(values.origin, identity: values.identity, headers: values.headers)
        known.original = original
        return original
    }
}

extension ImageRequest: Hashable {
    public static func == (left: ImageRequest, right: ImageRequest) -> Bool {
        left.mode == right.mode && left.cachePolicy == right.cachePolicy && left.cacheKey == right.cacheKey
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}

extension ImageRequest {
    /// The key of the picture in memory.
    public var cacheKey: ImageCacheKey { details.key(target) }

    /// What identifies the original.
    package var original: Original { details.original }

    /// True when a picture in memory may answer.
    package var readsMemory: Bool { cachePolicy.memory.reads && mode.acceptsMemory }
}
