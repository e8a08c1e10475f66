import Foundation
import Tracing

/// Spans in OTLP's JSON (opentelemetry-proto, `ExportTraceServiceRequest`): 64-bit integers are texts, and identities
/// are hexadecimal.
enum SpanDocument {
    /// - Parameter service: The name of the service.
    static func json(_ spans: [FinishedSpan], service: String, version: String) throws -> Data {
        let resource = attributes(["service.name": .string(service), "service.version": .string(version)])
        let scope: [String: Any] = [
            "scope": ["name": "image-server", "version": version], "spans": spans.map(object),
        ]
        let spans: [String: Any] = ["resource": ["attributes": resource], "scopeSpans": [scope]]
        return try JSONSerialization.data(withJSONObject: ["resourceSpans": [spans]])
    }

    private static func object(_ span: FinishedSpan) -> [String: Any] {
        var object: [String: Any] = [
            "traceId": span.trace.traceID, "spanId": span.trace.spanID, "name": span.name, "kind": span.kind.number,
            "startTimeUnixNano": "\(span.start)", "endTimeUnixNano": "\(span.end)",
            "attributes": attributes(span.attributes),
            "events": span.events.map { event -> [String: Any] in
                [
                    "timeUnixNano": "\(event.nanosecondsSinceEpoch)", "name": event.name,
                    "attributes": attributes(event.attributes),
                ]
            },
        ]
        object["parentSpanId"] = span.parent
        if !span.trace.state.isEmpty { object["traceState"] = span.trace.state }
        if span.isFailed { object["status"] = ["code": 2] }
        return object
    }

    private static func attributes(_ attributes: SpanAttributes) -> [[String: Any]] {
        var all: [String: [String: Any]] = [:]
        attributes.forEach { all[$0] = value($1) }
        return all.sorted { $0.key < $1.key }.map { ["key": $0.key, "value": $0.value] }
    }

    /// An `AnyValue`: an object with one member.
    private static func value(_ attribute: SpanAttribute) -> [String: Any] {
        switch attribute {
        case .string(let text): ["stringValue": text]
        case .int32(let number): ["intValue": "\(number)"]
        case .int64(let number): ["intValue": "\(number)"]
        case .double(let number) where number.isFinite: ["doubleValue": number]
        case .bool(let flag): ["boolValue": flag]
        case .stringConvertible(let value): ["stringValue": value.description]
        default: ["stringValue": "\(attribute)"]
        }
    }
}

extension SpanKind {
    /// The number of the kind in OTLP.
    fileprivate var number: Int {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
