import HTTPTypes
import ImageCore
import ImageTransporting

/// The part of a stored response that a conditional or range request receives (RFC 9110, 13.2.2).
enum ConditionalResponse: Hashable, Sendable {
    /// 200: the entire response.
    case full
    /// 304: the client already has the current response.
    case notModified
    /// 206: these bytes of the body.
    case partial(Range<Int>)
}

extension HTTPCacheRequest {
    /// The request without the conditions and the range that `conditionalResponse(to:byteCount:)` evaluates.
    var unconditional: HTTPCacheRequest {
        var request = self
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange, .range] { request.headers[name] = nil }
        return request
    }
}

extension StoredHTTPResponse {
    /// Evaluates the conditions and the range of a request (RFC 9111, 4.3.2; RFC 9110, 13.1 and 14.2). Ignores multiple
    /// ranges, and ranges of a decoded body, because they count encoded bytes.
    func conditionalResponse(to request: HTTPCacheRequest, byteCount: Int) -> ConditionalResponse {
        guard status == 200 else { return .full }
        if isKnown(to: request.headers) { return .notModified }
        guard request.method == .get, let field = request.headers[.range], !mayBeDecoded,
            request.headers[byteText: .ifRange].map(matchesStrongly) ?? true,
            let range = ByteRange.parse(field, of: byteCount)
        else { return .full }
        return .partial(range)
    }

    /// Returns the header fields of the response, from those of the full one.
    func headers(_ served: HTTPFields, for response: ConditionalResponse, byteCount: Int) -> HTTPFields {
        var fields = served
        switch response {
        case .full: break
        case .notModified: fields[.contentLength] = nil
        case .partial(let range):
            fields[.contentLength] = "\(range.count)"
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
        }
        return fields
    }

    /// If-None-Match takes precedence over If-Modified-Since. Without Last-Modified, Date is compared.
    private func isKnown(to request: HTTPFields) -> Bool {
        if request.contains(.ifNoneMatch) {
            let tags = request[fields: .ifNoneMatch].flatMap { $0.byteText.split(separator: ",").map(\.trimmed) }
            return tags.contains("*")
                || headers[byteText: .eTag].map { own in tags.contains { Self.matchesWeakly($0, own[...]) } } ?? false
        }
        guard let field = request[.ifModifiedSince], let since = HTTPDate.parse(field, now: responseTime) else {
            return false
        }
        return (firstDate(of: .lastModified) ?? date) <= since
    }

    /// Whether the transport may have decoded the body.
    private var mayBeDecoded: Bool { !ContentCodings(headers).decodable.isEmpty }

    /// Whether an If-Range tag is the entity tag of this response, by strong comparison (RFC 9110, 13.1.5).
    private func matchesStrongly(_ tag: String) -> Bool { tag == headers[byteText: .eTag] && !tag.hasPrefix("W/") }
}

/// Parses a single byte range (RFC 9110, 14.1.2).
enum ByteRange {
    /// Returns nil unless the field is one satisfiable range.
    static func parse(_ field: String, of byteCount: Int) -> Range<Int>? {
        guard field.lowercased().hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(\.trimmed)
        guard ends.count == 2 else { return nil }
        let (first, last) = (position(ends[0]), position(ends[1]))
        switch (first, last) {
        case (let first?, _) where ends[1].isEmpty: return clamped(first, byteCount)
        case (let first?, let last?) where first <= last: return clamped(first, min(last, byteCount - 1) + 1)
        case (nil, let count?) where ends[0].isEmpty: return clamped(max(0, byteCount - count), byteCount)
        default: return nil
        }
    }

    private static func position(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
    }

    private static func clamped(_ first: Int, _ end: Int) -> Range<Int>? { first < end ? first..<end : nil }
}
