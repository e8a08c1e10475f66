import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores every response with status 200 for a fixed lifetime, like the disk caches of other image loaders.
///
/// Ignores the caching fields of the origin. Use it for images whose content never changes at their URL. `no-cache` and
/// `max-age=0` in a request still cause a validation.
public struct FixedLifetimePolicy: HTTPCachePolicy {
    /// How long a response is fresh, counted from its arrival.
    public var lifetime: Duration

    /// Creates a policy with this lifetime.
    public init(lifetime: Duration) { self.lifetime = lifetime }

    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        request.isPlainGet && response.status == 200
    }

    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        let requested = CacheDirectives(request.headers)
        let elapsed = now.timeIntervalSince(response.responseTime)
        let isFresh = elapsed >= 0 && elapsed < lifetime.inSeconds
        let isReloaded = requested.contains("no-cache") || requested.seconds("max-age") == 0
        return isFresh && !isReloaded ? .fresh : .validate(fallback: .serverError)
    }
}
