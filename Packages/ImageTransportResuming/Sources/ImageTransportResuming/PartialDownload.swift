import HTTPTypes
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What must be known to go on with a body that was interrupted. Pure.
struct PartialDownload: Codable, Equatable {
    private struct Field: Codable, Equatable {
        var name: String
        var value: String
    }

    /// Where the bytes came from, after redirects.
    let url: URL
    /// A strong entity tag, or a date that is strong (RFC 9110, 8.8).
    let validator: String
    let totalBytes: Int
    private let fields: [Field]

    /// Nil when the rest of the response could not be asked for, or may not be kept: it is no 200 with a length and a strong
    /// validator, it is coded, it forbids ranges or storing.
    init?(_ head: ResponseHead, now: Date) {
        let headers = head.headers
        guard head.status == .ok, let total = head.expectedBytes, headers[.contentEncoding] == nil,
            headers[.acceptRanges]?.lowercased() != "none",
            !CacheDirectives(headers).contains("no-store"),
            let validator = Self.strongValidator(headers, now: now)
        else { return nil }
        url = head.url
        self.validator = validator
        totalBytes = total
        fields = headers.map { Field(name: $0.name.rawName, value: $0.value) }
    }

    /// A date is strong when the response is at least a second younger (RFC 9110, 8.8.2.2).
    private static func strongValidator(_ headers: HTTPFields, now: Date) -> String? {
        if let tag = headers[.eTag] { return tag.hasPrefix("\"") ? tag : nil }
        guard let text = headers[.lastModified], let modified = HTTPDate.parse(text, now: now),
            let date = headers[.date].flatMap({ HTTPDate.parse($0, now: now) }), date.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }

    /// Asks for the bytes from `offset` on, if the body is still the same, and for all of it otherwise (RFC 9110, 13.1.5).
    func request(_ request: TransportRequest, from offset: Int) -> TransportRequest {
        var request = request
        request.headers[.range] = "bytes=\(offset)-"
        request.headers[.ifRange] = validator
        return request
    }

    enum Verdict: Equatable {
        /// The rest follows; the head is that of the whole.
        case goesOn(ResponseHead)
        /// Another body follows, from its beginning.
        case startsAnew
        /// What follows is of no use, and neither is what is kept.
        case asksAgain
        /// This is not about the body: an error, for one. What is kept may still be of use.
        case passesThrough
    }

    /// What the response to `request(_:from:)` means.
    func verdict(on head: ResponseHead, offset: Int) -> Verdict {
        switch head.status.code {
        case 206: isRest(head, from: offset) ? .goesOn(wholeHead(head)) : .asksAgain
        case 200: .startsAnew
        case 416: .asksAgain
        default: .passesThrough
        }
    }

    private func isRest(_ head: ResponseHead, from offset: Int) -> Bool {
        guard head.url == url, head.headers[.contentEncoding] == nil,
            let place = head.headers[.contentRange].flatMap({ ContentRange($0) })
        else { return false }
        let told = validator.hasPrefix("\"") ? head.headers[.eTag] : head.headers[.lastModified]
        return (told ?? validator) == validator && place.range == offset...(totalBytes - 1)
            && place.totalBytes == totalBytes
    }

    /// The fields of the first response, brought up to date by those of the part (RFC 9111, 3.4).
    private func wholeHead(_ part: ResponseHead) -> ResponseHead {
        var headers = HTTPFields()
        for field in fields {
            guard let name = HTTPField.Name(field.name), part.headers[name] == nil || Self.isPlace(name) else {
                continue
            }
            headers.append(HTTPField(name: name, value: field.value))
        }
        for field in part.headers where !Self.isPlace(field.name) { headers.append(field) }
        return ResponseHead(status: .ok, headers: headers, url: part.url, expectedBytes: totalBytes)
    }

    private static func isPlace(_ name: HTTPField.Name) -> Bool { name == .contentLength || name == .contentRange }
}
