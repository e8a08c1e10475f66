import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ResponseHead {
    /// The wait until a retry that the origin asks for, in seconds or as a date relative to its own Date (RFC 9110, 10.2.3).
    /// Nil if there is none or it can't be parsed.
    public var retryAfter: Duration? {
        guard let text = headers[.retryAfter] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(Int(text) ?? .max) }
        // Any century will do: only the difference of the two dates counts.
        let century = Date(timeIntervalSinceReferenceDate: 0)
        guard let now = headers[.date].flatMap({ HTTPDate.parse($0, now: century) }),
            let date = HTTPDate.parse(text, now: century)
        else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
