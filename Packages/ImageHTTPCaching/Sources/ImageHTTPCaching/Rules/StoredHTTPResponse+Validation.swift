import HTTPTypes
import ImageCore
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoredHTTPResponse {
    /// The conditional fields that ask the origin whether this response is still current (RFC 9111, 4.3.1).
    ///
    /// If-None-Match contains the entity tag, strong or weak; If-Modified-Since contains the modification date. Empty
    /// if the response has neither.
    var validationFields: HTTPFields {
        var fields = HTTPFields()
        if let tag = headers[byteText: .eTag] { fields[byteText: .ifNoneMatch] = tag }
        if let modified = headers[.lastModified] { fields[.ifModifiedSince] = modified }
        return fields
    }

    /// Returns the response, updated by a 304: its header fields replace the stored fields of the same names (RFC 9111,
    /// 3.2, 4.3.4).
    ///
    /// Content-Length, Content-Encoding and Content-Range describe the stored body and are not replaced. Returns nil if a
    /// validator of the 304 is different from this response's.
    func freshened(byNotModified head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse? {
        guard confirms(head.headers) else { return nil }
        return updated(by: head, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns the response, updated by the response to a HEAD request (RFC 9111, 4.3.5). Returns nil if that describes a
    /// different response, so that this one is outdated.
    func freshened(byHead head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse? {
        let described: [HTTPField.Name] = [.eTag, .lastModified, .contentLength]
        let isSame = described.allSatisfy {
            !head.headers.contains($0) || head.headers[byteText: $0] == headers[byteText: $0]
        }
        guard isSame, head.status.code == status else { return nil }
        return updated(by: head, requestTime: requestTime, responseTime: responseTime)
    }

    private func confirms(_ fields: HTTPFields) -> Bool {
        if let tag = fields[byteText: .eTag] {
            return headers[byteText: .eTag].map { Self.matchesWeakly($0[...], tag[...]) } ?? false
        }
        if let modified = fields[.lastModified], let own = headers[.lastModified] { return modified == own }
        return true
    }

    /// Compares two entity tags weakly (RFC 9110, 8.8.3.2).
    static func matchesWeakly(_ left: Substring, _ right: Substring) -> Bool { opaque(left) == opaque(right) }

    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

    private func updated(by head: ResponseHead, requestTime: Date, responseTime: Date) -> StoredHTTPResponse {
        var newer = Self.storable(head.headers)
        newer.removeAll { Self.fixed.contains($0.name) }
        let replaced = Set(newer.map(\.name))
        var result = self
        // Age and Date of the older response don't apply to the updated one. Without Date, the arrival time counts (RFC
        // 9110, 6.6.1).
        result.headers.removeAll { replaced.contains($0.name) || $0.name == .age || $0.name == .date }
        result.headers.append(contentsOf: newer)
        result.requestTime = requestTime
        result.responseTime = responseTime
        return result
    }

    private static let fixed: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .contentRange]
}

/// Finds the URLs that an unsafe request invalidates (RFC 9111, 4.4).
enum CacheInvalidation {
    /// Returns the URL of the request, and the URLs in Location and Content-Location if they have the same origin. Empty
    /// for safe methods, and if the response is an error.
    static func invalidatedURLs(
        by method: HTTPRequest.Method, of url: URL, response head: ResponseHead
    ) -> [URL] {
        let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]
        guard !safe.contains(method), (200...399).contains(head.status.code) else { return [] }
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
            head.headers[fields: name].first.flatMap { URL(webAddress: $0.bytes, relativeTo: url) }
        }
        return [url] + named.filter { RedirectChain.origin(of: $0) == RedirectChain.origin(of: url) }
    }
}
