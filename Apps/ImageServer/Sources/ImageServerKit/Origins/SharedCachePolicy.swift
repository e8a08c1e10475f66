import Foundation
import HTTPTypes
import ImageHTTPCaching
import ImageTransporting

/// The rules of a cache for many users: like RFC 9111, but without private responses (RFC 9111, section 3), and
/// with lifetimes within the bounds of the settings.
///
/// So an original and the results that are made of it are out of date at the same time, and the origin is asked again.
struct SharedCachePolicy: HTTPCachePolicy {
    /// Decides within the bounds.
    private let base = RFC9111Policy()
    /// The bounds of the lifetime of a response, counted from its arrival.
    let bounds: LifetimeBounds
    /// The longest lifetime of a response with an error, such as 404.
    var missingLifetime = Duration.seconds(5)

    func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        !CacheDirectives(response.headers).contains("private") && base.mayStore(response, to: request)
    }

    func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        var bounded = response
        // Of several values, the first one applies (RFC 9111, 4.2.1).
        bounded.headers = [.cacheControl: "max-age=\(Int(boundedLifetime(of: response)))"]
        bounded.headers.append(contentsOf: response.headers)
        let reuse = base.reuse(bounded, for: request, at: now)
        // An origin may allow to show a stale original first (RFC 5861), but not for longer than the settings.
        let isTooOld = now.timeIntervalSince(response.responseTime) > bounds.longest.seconds
        return reuse == .staleWhileRevalidate && isTooOld ? .validate(fallback: .disconnected) : reuse
    }

    func lifetime(of response: StoredHTTPResponse) -> Duration? { .seconds(boundedLifetime(of: response)) }

    /// Returns the lifetime in seconds, counted like the age. The bounds count from the arrival.
    private func boundedLifetime(of response: StoredHTTPResponse) -> TimeInterval {
        let age = response.age(at: response.responseTime)?.seconds ?? 0
        let said = OriginFreshness.lifetime(response.headers, now: response.responseTime).map { max(0, $0 - age) }
        let missing = missingLifetime.seconds
        let lifetime = response.status < 400 ? bounds.lifetime(said) : min(said ?? missing, missing)
        return min(max(0, age + lifetime), 1e10)
    }
}
