public import HTTPTypes
public import ImageTransporting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension StoredHTTPResponse {
    /// What asks the origin whether the response still holds (RFC 9111, 4.3.1): its entity tag, strong or weak, and its time of
    /// modification. Empty when it has neither.
    public var validationFields: HTTPFields {
        var fields = HTTPFields()
        if let tag = headers[.eTag] { fields[.ifNoneMatch] = tag }
        if let modified = headers[.lastModified] { fields[.ifModifiedSince] = modified }
        return fields
    }

    /// The response after a 304 has confirmed it: newer header fields replace those stored under their names (RFC 9111, 3.2, 4.3.4).
    ///
    /// Fields that tell how the stored body is to be read stay as they are.
    ///
    /// - Returns: nil when the 304 has a validator that is not this response's: it confirms another one.
    public func confirmed(by head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse? {
        guard confirms(head.headers) else { return nil }
        return updated(by: head, requestTime: requestTime, responseTime: responseTime)
    }

    /// The response after a HEAD has described the current one (4.3.5); nil when that is another, and this is no longer good.
    public func described(by head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse? {
        let told: [HTTPField.Name] = [.eTag, .lastModified, .contentLength]
        let isSame = told.allSatisfy { !head.headers.contains($0) || head.headers[$0] == headers[$0] }
        guard isSame, head.status.code == status else { return nil }
        return updated(by: head, requestTime: requestTime, responseTime: responseTime)
    }

    private func confirms(_ fields: HTTPFields) -> Bool {
        if let tag = fields[.eTag] { return headers[.eTag].map { Self.matchesWeakly($0[...], tag[...]) } ?? false }
        if let modified = fields[.lastModified], let own = headers[.lastModified] { return modified == own }
        return true
    }

    /// As If-None-Match compares tags (RFC 9110, 8.8.3.2).
    static func matchesWeakly(_ left: Substring, _ right: Substring) -> Bool { opaque(left) == opaque(right) }

    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

    private func updated(by head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse {
        var newer = Self.storable(head.headers)
        newer.removeAll { Self.fixed.contains($0.name) }
        let replaced = Set(newer.map(\.name))
        var result = self
        // An age that was told of the older response says nothing of the confirmed one.
        result.headers.removeAll { replaced.contains($0.name) || $0.name == .age }
        result.headers.append(contentsOf: newer)
        (result.requestTime, result.responseTime) = (requestTime, responseTime)
        return result
    }

    private static let fixed: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .contentRange]
}

/// What a request other than GET and HEAD makes outdated (RFC 9111, 4.4).
public enum CacheInvalidation {
    /// URLs of which nothing stored may be shown again without asking: the request's own, and those that the answer names in Location and
    /// Content-Location, if they are of the same origin. None after a safe method or an error.
    public static func outdated(by method: HTTPRequest.Method, of url: URL, answeredWith head: ResponseHead) -> [URL] {
        let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]
        guard !safe.contains(method), (200...399).contains(head.status.code) else { return [] }
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
            head.headers[name].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        }
        return [url] + named.filter { isSameOrigin($0, url) }
    }

    /// RFC 6454, 5.
    private static func isSameOrigin(_ left: URL, _ right: URL) -> Bool {
        left.scheme?.lowercased() == right.scheme?.lowercased()
            && left.host()?.lowercased() == right.host()?.lowercased()
            && left.explicitPort == right.explicitPort
    }
}
