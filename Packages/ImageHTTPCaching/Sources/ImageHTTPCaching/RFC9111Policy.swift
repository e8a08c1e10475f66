import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A private cache by the book: RFC 9111, with stale-while-revalidate and stale-if-error of RFC 5861, and immutable of RFC 8246.
///
/// Private means that it serves one user: `private` and `Authorization` forbid nothing, and `s-maxage` and `proxy-revalidate`
/// are for others; the latter two are taken at most for a wish not to see stale responses.
public struct RFC9111Policy: HTTPCachePolicy {
    /// How much of the time between Last-Modified and Date a response without a lifetime of its own counts as fresh (4.2.2).
    public var heuristicFraction: Double
    /// The longest such time.
    public var longestHeuristicLifetime: Duration
    /// How long a 404 or 410 without a lifetime of its own counts as fresh; nil treats them as any other status.
    public var negativeLifetime: Duration?
    /// The lifetime of a response with neither one of its own nor a validator; nil for none: it is asked for again each time.
    public var defaultLifetime: Duration?

    public init(
        heuristicFraction: Double = 0.1, longestHeuristicLifetime: Duration = .seconds(86_400),
        negativeLifetime: Duration? = .seconds(60), defaultLifetime: Duration? = nil
    ) {
        self.heuristicFraction = heuristicFraction
        self.longestHeuristicLifetime = longestHeuristicLifetime
        self.negativeLifetime = negativeLifetime
        self.defaultLifetime = defaultLifetime
    }

    /// RFC 9111, 3. Final responses to a plain GET; not 206 and 304, which are parts of others.
    public func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool {
        let directives = CacheDirectives(response.headers)
        guard request.isPlainGet, (200...599).contains(response.status), ![206, 304].contains(response.status),
            !CacheDirectives(request.headers).contains("no-store"), !VaryingFields(response.headers).areUnknown,
            mayBeStoredByDirectives(directives, status: response.status)
        else { return false }
        return directives.contains("public") || directives.contains("private") || directives.contains("max-age")
            || response.headers.contains(.expires) || Self.isHeuristicallyCacheable(response.status)
    }

    /// RFC 9111, 4.
    public func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse {
        let requested = CacheDirectives(request.headers)
        let directives = CacheDirectives(response.headers)
        let (age, lifetime) = (response.age(at: now), lifetime(of: response, directives))
        let validation = CacheReuse.validate(orElse: permission(directives, requested, staleness: age - lifetime))
        if directives.forbidReuse || request.forbidsReuse(requested) { return validation }
        let isFresh = lifetime > age
        // A user's reload does not concern what never changes (RFC 8246, 2).
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

    /// Seconds that a response counts as fresh (4.2.1, 4.2.2).
    func lifetime(of response: StoredHTTPResponse, _ directives: CacheDirectives) -> TimeInterval {
        if let explicit = directives.seconds("max-age") { return explicit }
        if response.headers.contains(.expires) {
            return response.firstDate(of: .expires)?.timeIntervalSince(response.date) ?? 0
        }
        if let negativeLifetime, [404, 410].contains(response.status) { return negativeLifetime.inSeconds }
        guard Self.isHeuristicallyCacheable(response.status) || directives.contains("public") else { return 0 }
        if let modified = response.firstDate(of: .lastModified) {
            let unchanged = max(0, response.date.timeIntervalSince(modified))
            return min(unchanged * heuristicFraction, longestHeuristicLifetime.inSeconds)
        }
        return response.headers.contains(.eTag) ? 0 : defaultLifetime?.inSeconds ?? 0
    }

    /// `must-understand` overrides `no-store` for a status whose meaning for caches is known here (5.2.2.3).
    private func mayBeStoredByDirectives(_ directives: CacheDirectives, status: Int) -> Bool {
        if directives.contains("must-understand") { return Self.isUnderstood(status) }
        return !directives.contains("no-store")
    }

    private func permission(
        _ directives: CacheDirectives, _ requested: CacheDirectives, staleness: TimeInterval
    ) -> StalePermission {
        if directives.forbidReuse || directives.forbidStaleEvenFromOthers || requested.contains("no-cache") {
            return .never
        }
        let windows = [directives, requested].compactMap { $0.seconds("stale-if-error") }
        return windows.contains { staleness <= $0 } ? .error : .disconnected
    }

    /// RFC 9110, 15.1.
    private static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    private static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [302, 303, 307, 400, 401, 403, 500, 502, 503, 504].contains(status)
    }
}

extension CacheDirectives {
    /// `no-cache` without names of fields: validate always (5.2.2.4).
    fileprivate var forbidReuse: Bool { contains("no-cache") && value(of: "no-cache") == nil }

    /// RFC 9111, 5.2.2.2.
    fileprivate var forbidStale: Bool { contains("must-revalidate") }

    /// After a failure only: directives that are meant for shared caches are taken for a wish.
    fileprivate var forbidStaleEvenFromOthers: Bool {
        forbidStale || contains("proxy-revalidate") || contains("s-maxage")
    }

    /// RFC 9111, 5.2.1.2: `max-stale` alone accepts any age.
    fileprivate func accept(staleness: TimeInterval) -> Bool {
        guard contains("max-stale") else { return false }
        return value(of: "max-stale") == nil || staleness <= seconds("max-stale") ?? 0
    }
}

extension HTTPCacheRequest {
    /// `no-cache`, `no-store`, and Pragma of HTTP/1.0, which counts where there is no Cache-Control (RFC 9111, 5.4).
    fileprivate func forbidsReuse(_ requested: CacheDirectives) -> Bool {
        if requested.contains("no-cache") || requested.contains("no-store") { return true }
        guard !headers.contains(.cacheControl), let pragma = HTTPField.Name("Pragma") else { return false }
        return headers[values: pragma].contains { $0.lowercased().contains("no-cache") }
    }
}

extension Duration {
    var inSeconds: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18 }
}
