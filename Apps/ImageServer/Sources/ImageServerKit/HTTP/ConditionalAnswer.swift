import Foundation
public import HTTPTypes
import ImageHTTPCaching
import ImageTransporting

/// The part of a result that a conditional or range request receives (RFC 9110, sections 13 and 14).
public enum ConditionalAnswer: Hashable, Sendable {
    /// 200: the whole result.
    case full
    /// 206: these bytes.
    case partial(Range<Int>)
    /// 304: the client has the result.
    case notModified
    /// 412: the client asked for another result.
    case preconditionFailed
    /// 416: the range is outside of the result.
    case unsatisfiable

    /// - Parameters:
    ///   - request: The header fields of the request.
    ///   - method: The method of the request. A range applies to GET only.
    ///   - tag: The entity tag of the result.
    ///   - byteCount: The size of the result.
    public init(request: HTTPFields, method: HTTPRequest.Method, tag: String, byteCount: Int) {
        let conditions = [HTTPField.Name.ifMatch, .ifNoneMatch, .range]
        guard conditions.contains(where: request.contains) else {
            self = .full
            return
        }
        if let match = request[.ifMatch], !Self.tags(match).contains(where: { $0 == "*" || $0 == tag }) {
            self = .preconditionFailed
            return
        }
        self = Self.answer(request, method, tag, byteCount)
    }

    private static func answer(
        _ request: HTTPFields, _ method: HTTPRequest.Method, _ tag: String, _ byteCount: Int
    ) -> ConditionalAnswer {
        let head = ResponseHead(status: .ok, headers: [.eTag: tag], url: placeholder)
        let response = StoredHTTPResponse(
            head, to: [:], requestTime: .distantPast, responseTime: .distantPast)
        let conditional = HTTPCacheRequest(method: method, headers: request)
        switch response.conditionalResponse(to: conditional, byteCount: byteCount) {
        case .notModified: return .notModified
        case .partial(let range): return .partial(range)
        case .full: return startsBeyond(byteCount, request, method, tag) ? .unsatisfiable : .full
        }
    }

    /// Whether the request has one range, which starts after the end. Other ranges that can't be used are ignored.
    private static func startsBeyond(
        _ byteCount: Int, _ request: HTTPFields, _ method: HTTPRequest.Method, _ tag: String
    ) -> Bool {
        guard method == .get, let range = request[.range]?.lowercased(), range.hasPrefix("bytes="),
            request[.ifRange].map({ $0 == tag }) ?? true
        else { return false }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), ends[1].isEmpty || (Int(ends[1]) ?? -1) >= first else {
            return false
        }
        return first >= byteCount
    }

    private static func tags(_ field: String) -> [String] { field.split(separator: ",").map(\.trimmed) }

    /// Entity tags are compared without the URL.
    private static let placeholder = URL(filePath: "/")
}
