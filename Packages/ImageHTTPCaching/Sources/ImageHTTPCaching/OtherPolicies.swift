import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Ignores what the origin says about caching: every 200 is kept and fresh for a fixed time, as in the disk caches of other image loaders.
///
/// For images under addresses whose content never changes, from servers that say otherwise. `no-cache` in a request still counts.
public struct FixedLifetimePolicy: HTTPCachePolicy {
    public var lifetime: Duration

    public init(lifetime: Duration) { self.lifetime = lifetime }

    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        request.isPlainGet && response.status == 200
    }

    /// The age is counted from when the response came; its own word on it counts as little as the rest.
    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        let requested = CacheDirectives(request.headers)
        let isFresh = now.timeIntervalSince(response.responseTime) < lifetime.inSeconds
        let isReloaded = requested.contains("no-cache") || requested.seconds("max-age") == 0
        return isFresh && !isReloaded ? .fresh : .validate(orElse: .error)
    }
}

/// Stores nothing.
public struct NeverStorePolicy: HTTPCachePolicy {
    public init() {}

    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool { false }

    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        .validate(orElse: .never)
    }
}
