import HTTPTypes

/// The part of a result that a conditional or range request receives (RFC 9110, sections 13 and 14).
enum ConditionalAnswer: Hashable, Sendable {
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
    ///   - method: The method of the request. A range applies to GET only.
    ///   - tag: The strong entity tag of the result.
    init(request: HTTPFields, method: HTTPRequest.Method, tag: String, byteCount: Int) {
        if let wanted = request[.ifMatch], !Self.tags(wanted).contains(where: { $0 == "*" || $0 == tag }) {
            self = .preconditionFailed
        } else if let known = request[.ifNoneMatch],
            Self.tags(known).contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag })
        {
            self = .notModified
        } else if method == .get, let range = request[.range], request[.ifRange] ?? tag == tag {
            self = Self.answer(to: range, byteCount)
        } else {
            self = .full
        }
    }

    /// Returns the answer to a single range of bytes. Others are ignored.
    private static func answer(to field: String, _ byteCount: Int) -> ConditionalAnswer {
        guard field.lowercased().hasPrefix("bytes=") else { return .full }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(\.trimmed)
        guard ends.count == 2 else { return .full }
        switch (position(ends[0]), position(ends[1])) {
        case (let first?, let last) where ends[1].isEmpty || last ?? -1 >= first:
            return first < byteCount ? .partial(first..<min(last ?? .max, byteCount - 1) + 1) : .unsatisfiable
        case (nil, let count?) where ends[0].isEmpty && count > 0 && byteCount > 0:
            return .partial(max(0, byteCount - count)..<byteCount)
        default: return .full
        }
    }

    private static func position(_ digits: String) -> Int? {
        digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(digits) : nil
    }

    private static func tags(_ field: String) -> [String] { field.split(separator: ",").map(\.trimmed) }
}
