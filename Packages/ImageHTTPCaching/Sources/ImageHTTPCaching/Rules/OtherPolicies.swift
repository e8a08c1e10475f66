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
    /// How long a response is fresh.
    public var lifetime: Duration

    /// Creates a policy.
    ///
    /// - Parameter lifetime: How long a response is fresh, counted from its arrival.
    public init(lifetime: Duration) { self.lifetime = lifetime }

    /// Returns true for a response with status 200 to a plain GET.
    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        request.isPlainGet && response.status == 200
    }

    /// Returns `fresh` within the lifetime after the arrival of the response, and never before the arrival. Ignores its Age
    /// and Date fields.
    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        let requested = CacheDirectives(request.headers)
        let elapsed = now.timeIntervalSince(response.responseTime)
        let isFresh = elapsed >= 0 && elapsed < lifetime.inSeconds
        let isReloaded = requested.contains("no-cache") || requested.seconds("max-age") == 0
        return isFresh && !isReloaded ? .fresh : .validate(fallback: .serverError)
    }
}

/// Stores no response, as if each one had `Cache-Control: no-store` (RFC 9111, 5.2.2.5).
///
/// Set it as `ImageLoaderOptions.httpCachePolicy` to load images without the HTTP cache. The memory cache and resumed
/// downloads still work. For a single request, use `ImageCachePolicy.memoryOnly` instead.
///
/// If another policy stored a response earlier, the cache must validate it before each use.
public struct NeverStorePolicy: HTTPCachePolicy {
    /// Creates a policy.
    public init() {}

    /// Returns false for every response.
    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool { false }

    /// Returns `validate` without a fallback. Called only for responses that another policy stored.
    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        .validate(fallback: .never)
    }
}
