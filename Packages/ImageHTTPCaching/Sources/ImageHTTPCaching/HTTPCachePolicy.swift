public import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decides what of HTTP is stored, and what of it may be shown again. Pure: no I/O, no clock; the same questions get the same answers.
///
/// Promises:
/// - Nothing is stored but answers to a plain GET, and of these no 206 and no 304.
/// - Nothing is shown unasked where the request says `no-cache`.
/// - Nothing is fresh that was stale before.
/// - What `mayStore` refuses is never asked about again.
/// - `reuse` is asked only about responses to a GET of the same URL, by the same identity, whose variant the request selects.
public protocol HTTPCachePolicy: Sendable {
    /// Whether a complete response to this request may be kept.
    func mayStore(_ response: StoredHTTPResponse, to request: HTTPCacheRequest) -> Bool
    /// Whether a stored response answers the request.
    func reuse(_ response: StoredHTTPResponse, for request: HTTPCacheRequest, at now: Date) -> CacheReuse
}

/// What a cache must know of a request.
public struct HTTPCacheRequest: Hashable, Sendable {
    public var method: HTTPRequest.Method
    public var headers: HTTPFields

    public init(method: HTTPRequest.Method = .get, headers: HTTPFields = [:]) {
        self.method = method
        self.headers = headers
    }

    /// Whether the request is for a whole representation, whatever its state: one with a range or a condition of the caller's own gets
    /// answers that mean nothing to others.
    public var isPlainGet: Bool { method == .get && !Self.conditions.contains(where: headers.contains) }

    private static let conditions: [HTTPField.Name] = [
        .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}

/// What a stored response is good for.
public enum CacheReuse: Hashable, Sendable {
    /// It is the answer.
    case fresh
    /// It is the answer although it is stale, because the request accepts that (RFC 9111, 5.2.1.2).
    case stale
    /// It is the answer although it is stale, and the origin is to be asked behind it (RFC 5861, 3).
    case staleWhileRevalidate
    /// The origin is to be asked first. When that fails, the response may be all there is to show.
    case validate(orElse: StalePermission)
}

/// When a stale response may be shown in place of an answer from the origin (RFC 9111, 4.2.4; RFC 5861, 4).
public enum StalePermission: Int, Hashable, Sendable, Comparable {
    case never
    /// When the origin can't be reached.
    case disconnected
    /// Also when it answers 500, 502, 503 or 504.
    case error

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether an answer with this status may be replaced.
    public func covers(status: Int) -> Bool { self == .error && [500, 502, 503, 504].contains(status) }
}

/// What to do for a request, given what is stored for its URL.
public enum CacheAnswer: Hashable, Sendable {
    /// Show a variant. `revalidates`: and ask the origin behind the answer.
    case use(variant: Int, isStale: Bool, revalidates: Bool)
    /// Ask the origin about a variant, with these fields in addition to the request's: none when the variant has no validator.
    case validate(variant: Int, with: HTTPFields, orElse: StalePermission)
    /// Ask the origin: nothing that is stored can answer.
    case fetch
    /// The request does not want the origin to be asked, and nothing that is stored can answer: 504 (RFC 9111, 5.2.1.7).
    case unavailable
}

extension HTTPCachePolicy {
    /// Finds the variant that the request selects, the newest if there are several (RFC 9111, 4.1), and says what it is good for.
    public func answer(
        to request: HTTPCacheRequest, from variants: [StoredHTTPResponse], at now: Date
    ) -> CacheAnswer {
        let selected = variants.indices.filter { variants[$0].isSelected(by: request.headers) }
        let newest = selected.max { variants[$0].date < variants[$1].date }
        let isCacheOnly = CacheDirectives(request.headers).contains("only-if-cached")
        guard request.isPlainGet, let newest else { return isCacheOnly ? .unavailable : .fetch }
        switch reuse(variants[newest], for: request, at: now) {
        case .fresh: return .use(variant: newest, isStale: false, revalidates: false)
        case .stale: return .use(variant: newest, isStale: true, revalidates: false)
        case .staleWhileRevalidate: return .use(variant: newest, isStale: true, revalidates: !isCacheOnly)
        case .validate(let permission):
            if isCacheOnly { return .unavailable }
            return .validate(variant: newest, with: variants[newest].validationFields, orElse: permission)
        }
    }
}
