import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ResponseHead {
    /// The delay that the Retry-After field requests (RFC 9110, 10.2.3).
    ///
    /// The field has seconds, or a date that is compared with the Date field of the response. `nil` if there is no such
    /// field or it can't be parsed.
    public var retryAfter: Duration? {
        guard let text = headers[.retryAfter] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(Int(text) ?? .max) }
        // Any reference date works, because only the difference of the two dates matters.
        let century = Date(timeIntervalSinceReferenceDate: 0)
        guard let now = headers[.date].flatMap({ HTTPDate.parse($0, now: century) }),
            let date = HTTPDate.parse(text, now: century)
        else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
