public import HTTPTypes
public import ImageCore
import ImageTransporting

/// Decides which responses a cache stores, and when it may reuse them. The methods are pure.
///
/// Promises:
/// - A policy stores only responses to a plain GET, and none with status 206 or 304.
/// - A policy reuses nothing without validation if the request contains `no-cache`.
/// - A stale response never becomes fresh again.
/// - A response that arrived after `now` is not fresh: the clock was set back, so its age can't be known.
///
/// The cache passes to `reuse` only stored responses for a GET of the same URL, identity and `Vary` fields.
public protocol HTTPCachePolicy: Sendable {
    /// Returns whether a complete response to this request may be stored.
    func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool
    /// Returns whether a stored response may be used for the request at the time `now`.
    func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse
    /// Returns how long a response is fresh, counted from its age 0 (RFC 9111, 4.2); by default nil, which means unknown.
    /// It is reported with the response, and decides nothing.
    func lifetime(of response: StoredHTTPResponse) -> Duration?
}

extension HTTPCachePolicy {
    public func lifetime(of response: StoredHTTPResponse) -> Duration? { nil }
}

/// The parts of a request that matter to a cache.
public struct HTTPCacheRequest: Hashable, Sendable {
    /// The method of the request.
    public var method: HTTPRequest.Method
    /// The header fields of the request.
    public var headers: HTTPFields

    /// Creates a request. By default, it is a GET without header fields.
    public init(method: HTTPRequest.Method = .get, headers: HTTPFields = [:]) {
        self.method = method
        self.headers = headers
    }

    /// Whether the request is a GET without a range and without conditions.
    var isPlainGet: Bool { method == .get && !Self.conditions.contains(where: headers.contains) }

    private static let conditions: [HTTPField.Name] = [
        .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}

/// How a stored response may be used for a request.
@nonexhaustive
public enum CacheReuse: Hashable, Sendable {
    /// The response is fresh. Return it.
    case fresh
    /// The response is stale, but the request accepts that (RFC 9111, 5.2.1.2). Return it.
    case stale
    /// The response is stale. Return it and revalidate it in the background (RFC 5861, 3).
    case staleWhileRevalidate
    /// Validate the response with the server first. The fallback determines whether it may be returned if that fails.
    case validate(fallback: StaleFallback)
}

/// When a stale response may be used instead of a response from the server (RFC 9111, 4.2.4; RFC 5861, 4).
@nonexhaustive
public enum StaleFallback: Hashable, Sendable {
    /// Never.
    case never
    /// If the server is unreachable.
    case disconnected
    /// If the server is unreachable, or responds with status 500, 502, 503 or 504.
    case serverError

    /// Returns whether a stale response may be used instead of a response with this status.
    func allows(status: Int) -> Bool { self == .serverError && [500, 502, 503, 504].contains(status) }

    /// Returns whether a stale response may be used after this failure: only if the server could not be reached.
    func allows(after failure: TransportError) -> Bool {
        switch failure {
        case .unresolvedHost, .connectionFailed, .timedOut, .connectionLost, .closedEarly, .serverUnavailable:
            self != .never
        case .malformedResponse: self == .serverError
        default: false
        }
    }
}

/// Stores every response with status 200 for a fixed lifetime, and ignores the caching fields of the server.
///
/// Use it for images whose content never changes at their URL. `no-cache` and `max-age=0` in a request still cause a
/// validation.
public struct FixedLifetimePolicy: HTTPCachePolicy {
    private let lifetime: Duration

    /// Creates a policy.
    /// - Parameter lifetime: How long a response is fresh, counted from its arrival.
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

    /// Returns the lifetime, which counts from the arrival, with the age that the response had then.
    public func lifetime(of response: StoredHTTPResponse) -> Duration? {
        lifetime + (response.age(at: response.responseTime) ?? .zero)
    }
}
