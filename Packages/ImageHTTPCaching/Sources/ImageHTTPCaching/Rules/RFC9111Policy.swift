import HTTPTypes
public import ImageCore
import ImageTransporting

/// The policy of a private cache: RFC 9111, with `stale-while-revalidate` and `stale-if-error` (RFC 5861) and
/// `immutable` (RFC 8246).
///
/// A private cache serves one user. Therefore `private` and `Authorization` forbid nothing. `s-maxage` and
/// `proxy-revalidate` are meant for shared caches and only prevent stale responses after a failure.
public struct RFC9111Policy: HTTPCachePolicy {
    /// The fraction of the time between Last-Modified and Date for which a response without an explicit lifetime is
    /// fresh (4.2.2).
    public var heuristicFraction: Double
    /// The upper limit of the heuristic lifetime.
    public var maxHeuristicLifetime: Duration
    /// How long a 404 or 410 without an explicit lifetime is fresh. `nil` treats them like any other status.
    public var negativeLifetime: Duration?
    /// The lifetime of a response without an explicit lifetime and without a validator. If it is `nil`, such a response
    /// is never fresh.
    public var defaultLifetime: Duration?

    /// Creates a policy. See the properties for the meaning of the parameters.
    public init(
        heuristicFraction: Double = 0.1, maxHeuristicLifetime: Duration = .seconds(86_400),
        negativeLifetime: Duration? = .seconds(60), defaultLifetime: Duration? = nil
    ) {
        self.heuristicFraction = heuristicFraction
        self.maxHeuristicLifetime = maxHeuristicLifetime
        self.negativeLifetime = negativeLifetime
        self.defaultLifetime = defaultLifetime
    }

    /// Returns whether a response may be stored (RFC 9111, 3): a final response to a plain GET, except 206 and 304.
    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        let directives = CacheDirectives(response.headers)
        guard request.isPlainGet, (200...599).contains(response.status), ![206, 304].contains(response.status),
            !CacheDirectives(request.headers).contains("no-store"), !VaryingFields(response.headers).areUnknown,
            mayBeStoredByDirectives(directives, status: response.status)
        else { return false }
        return directives.contains("public") || directives.contains("private") || directives.contains("max-age")
            || response.headers.contains(.expires) || Self.isHeuristicallyCacheable(response.status)
    }

    /// Returns whether a stored response may be used for the request (RFC 9111, 4).
    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        let requested = CacheDirectives(request.headers)
        let directives = CacheDirectives(response.headers)
        let (age, lifetime) = (response.ageInSeconds(at: now), lifetime(of: response, directives))
        let validation = CacheReuse.validate(fallback: fallback(directives, requested, staleness: age - lifetime))
        if directives.forbidReuse || request.forbidsReuse(requested) { return validation }
        let isFresh = lifetime > age
        // A reload by the user does not revalidate immutable responses (RFC 8246, 2).
        if isFresh, directives.contains("immutable"), requested.seconds("max-age") == 0 { return .fresh }
        if let oldest = requested.seconds("max-age"), age > oldest || oldest == 0 { return validation }
        if let margin = requested.seconds("min-fresh"), lifetime - age < margin { return validation }
        if isFresh { return .fresh }
        if directives.forbidStale { return validation }
        if requested.accept(staleness: age - lifetime) { return .stale }
        if let window = directives.seconds("stale-while-revalidate"), age - lifetime <= window {
            return .staleWhileRevalidate
        }
        return validation
    }

    /// Returns how long a response is fresh (4.2.1, 4.2.2): not at all if it must always be validated.
    public func lifetime(of response: StoredHTTPResponse) -> Duration? {
        let directives = CacheDirectives(response.headers)
        return directives.forbidReuse ? .zero : .seconds(lifetime(of: response, directives))
    }

    /// Returns how long a response is fresh, in seconds (4.2.1, 4.2.2).
    func lifetime(of response: StoredHTTPResponse, _ directives: CacheDirectives) -> TimeInterval {
        if let explicit = directives.seconds("max-age") { return explicit }
        if response.headers.contains(.expires) {
            return response.firstDate(of: .expires)?.timeIntervalSince(response.date) ?? 0
        }
        if let negativeLifetime, [404, 410].contains(response.status) { return negativeLifetime.inSeconds }
        guard Self.isHeuristicallyCacheable(response.status) || directives.contains("public") else { return 0 }
        if let modified = response.firstDate(of: .lastModified) {
            let unchanged = max(0, min(response.date, response.responseTime).timeIntervalSince(modified))
            return min(unchanged * heuristicFraction, maxHeuristicLifetime.inSeconds)
        }
        return response.headers.contains(.eTag) ? 0 : defaultLifetime?.inSeconds ?? 0
    }

    /// `must-understand` overrides `no-store` for a status that this cache understands (5.2.2.3).
    private func mayBeStoredByDirectives(_ directives: CacheDirectives, status: Int) -> Bool {
        if directives.contains("must-understand") { return Self.isUnderstood(status) }
        return !directives.contains("no-store")
    }

    private func fallback(
        _ directives: CacheDirectives, _ requested: CacheDirectives, staleness: TimeInterval
    ) -> StaleFallback {
        if directives.forbidReuse || directives.forbidStaleAfterFailure || requested.contains("no-cache") {
            return .never
        }
        let windows = [directives, requested].compactMap { $0.seconds("stale-if-error") }
        return windows.contains { staleness <= $0 } ? .serverError : .disconnected
    }

    /// Whether a response with this status may be cached without an explicit lifetime (RFC 9110, 15.1).
    private static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    private static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [302, 303, 307, 400, 401, 403, 500, 502, 503, 504].contains(status)
    }
}

extension CacheDirectives {
    /// Whether the response must always be validated: `no-cache` without field names (5.2.2.4).
    fileprivate var forbidReuse: Bool { contains("no-cache") && value(of: "no-cache") == nil }

    /// Whether the response must not be used when it is stale: `must-revalidate` (RFC 9111, 5.2.2.2).
    fileprivate var forbidStale: Bool { contains("must-revalidate") }

    /// Whether the response must not be used stale after a failure. Includes directives for shared caches.
    fileprivate var forbidStaleAfterFailure: Bool {
        forbidStale || contains("proxy-revalidate") || contains("s-maxage")
    }

    /// Returns whether the request accepts a response that has been stale for this many seconds (RFC 9111, 5.2.1.2).
    /// `max-stale` without a value accepts any staleness.
    fileprivate func accept(staleness: TimeInterval) -> Bool {
        guard contains("max-stale") else { return false }
        return value(of: "max-stale") == nil || staleness <= seconds("max-stale") ?? 0
    }
}

extension HTTPCacheRequest {
    /// Whether the request requires validation: `no-cache` or `no-store`, or Pragma if there is no Cache-Control (RFC
    /// 9111, 5.4).
    fileprivate func forbidsReuse(_ requested: CacheDirectives) -> Bool {
        if requested.contains("no-cache") || requested.contains("no-store") { return true }
        guard !headers.contains(.cacheControl), let pragma = HTTPField.Name("Pragma") else { return false }
        return headers[values: pragma].contains { $0.lowercased().contains("no-cache") }
    }
}

extension Duration {
    /// The duration in seconds, limited to 0 to 100 years.
    var inSeconds: TimeInterval { limited / .seconds(1) }
}
