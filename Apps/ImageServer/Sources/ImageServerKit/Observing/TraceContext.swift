import HTTPTypes
import ImageCore

/// The identity of a request across services (W3C Trace Context, level 1).
struct TraceContext: Hashable, Sendable {
    /// 32 hexadecimal digits, the same in all services.
    let traceID: String
    /// The 16 hexadecimal digits of the current span.
    let spanID: String
    /// Whether the trace is recorded.
    var isSampled: Bool
    /// The value of `tracestate`, which is passed on unchanged.
    let state: String

    /// Returns the context of a new span of the same trace.
    func child() -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.newSpanID(), isSampled: isSampled, state: state)
    }

    /// The value of `traceparent`.
    var parentField: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Sets `traceparent`, and `tracestate` if there is a state.
    func set(in fields: inout HTTPFields) {
        fields[.traceparent] = parentField
        fields[.tracestate] = state.isEmpty ? nil : state
    }

    /// Returns 16 random hexadecimal digits.
    static func newSpanID() -> String {
        let text = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    private static func isHexadecimal(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count && text.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }
}

extension TraceContext {
    /// Creates the context of a new trace.
    /// - Parameter isSampled: Whether it is recorded.
    init(isSampled: Bool = false) {
        self.init(
            traceID: Self.newSpanID() + Self.newSpanID(), spanID: Self.newSpanID(), isSampled: isSampled, state: "")
    }

    /// Reads `traceparent` and `tracestate`. Returns nil if the former is missing or not valid (section 3.2.2).
    init?(_ fields: HTTPFields) {
        guard let parent = fields[.traceparent] else { return nil }
        let parts = parent.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isHexadecimal(parts[1], 32), Self.isHexadecimal(parts[2], 16), Self.isHexadecimal(parts[3], 2),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        let state = fields[.tracestate] ?? ""
        self.init(
            traceID: parts[1], spanID: parts[2], isSampled: flags & 1 == 1, state: state.utf8.count <= 512 ? state : "")
    }
}

extension ImageUserInfo.Key {
    /// The `TraceContext` of a request for an original. It is no header field, because requests with other fields would not
    /// share a download.
    static let trace = Self(rawValue: "trace")
}
