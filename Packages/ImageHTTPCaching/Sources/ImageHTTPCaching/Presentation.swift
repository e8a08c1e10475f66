public import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How much of a stored response a request with conditions or a range is to see (RFC 9110, 13.2.2).
public enum StoredPresentation: Hashable, Sendable {
    case whole
    /// 304: the requester has it.
    case notModified
    /// 206: these bytes of the body.
    case part(Range<Int>)
}

extension HTTPCacheRequest {
    /// The request without the conditions and the range that `StoredHTTPResponse.presentation` looks at. What is left may be none that a
    /// cache answers, as with If-Match.
    public var unconditional: HTTPCacheRequest {
        var request = self
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange, .range] { request.headers[name] = nil }
        return request
    }
}

extension StoredHTTPResponse {
    /// What the request is to see of this response, if it is the answer (RFC 9111, 4.3.2; RFC 9110, 13.1 and 14.2).
    ///
    /// - Parameter byteCount: the length of the stored body. A range of a body in a content coding counts bytes that are not stored: it
    ///   is passed over, as are several ranges and those that lie outside.
    public func presentation(to request: HTTPCacheRequest, byteCount: Int) -> StoredPresentation {
        guard status == 200 else { return .whole }
        if isKnown(to: request.headers) { return .notModified }
        guard request.method == .get, let field = request.headers[.range], !headers.contains(.contentEncoding),
            request.headers[.ifRange].map(isStrongly) ?? true, let range = ByteRange.parse(field, of: byteCount)
        else { return .whole }
        return .part(range)
    }

    /// The head that goes with a presentation.
    public func headers(_ served: HTTPFields, for presentation: StoredPresentation, byteCount: Int) -> HTTPFields {
        var fields = served
        switch presentation {
        case .whole: break
        case .notModified: fields[.contentLength] = nil
        case .part(let range):
            fields[.contentLength] = "\(range.count)"
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
        }
        return fields
    }

    /// If-None-Match counts before If-Modified-Since. A response without Last-Modified is as old as its Date.
    private func isKnown(to request: HTTPFields) -> Bool {
        if request.contains(.ifNoneMatch) {
            let tags = request[values: .ifNoneMatch].flatMap { $0.split(separator: ",").map(\.trimmed) }
            return tags.contains("*")
                || headers[.eTag].map { own in tags.contains { Self.matchesWeakly($0, own[...]) } } ?? false
        }
        guard let field = request[.ifModifiedSince], let since = HTTPDate.parse(field, now: responseTime) else {
            return false
        }
        return (firstDate(of: .lastModified) ?? date) <= since
    }

    /// RFC 9110, 13.1.5.
    private func isStrongly(_ tag: String) -> Bool { tag == headers[.eTag] && !tag.hasPrefix("W/") }
}

/// One range of bytes (RFC 9110, 14.1.2).
enum ByteRange {
    /// Nil for anything but one range that lies, in part at least, within so many bytes.
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
