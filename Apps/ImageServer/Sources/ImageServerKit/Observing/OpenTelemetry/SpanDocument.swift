import Tracing

extension FinishedSpan {
    /// The span in OTLP's JSON.
    var otlp: [String: Any] {
        var object: [String: Any] = [
            "traceId": trace.traceID, "spanId": trace.spanID, "name": name, "kind": kind.number,
            "startTimeUnixNano": "\(start)", "endTimeUnixNano": "\(end)",
            "attributes": OTLPDocument.attributes(attributes),
            "events": events.map { event -> [String: Any] in
                [
                    "timeUnixNano": "\(event.nanosecondsSinceEpoch)", "name": event.name,
                    "attributes": OTLPDocument.attributes(event.attributes),
                ]
            },
        ]
        object["parentSpanId"] = parent
        if !trace.state.isEmpty { object["traceState"] = trace.state }
        if isFailed { object["status"] = ["code": 2] }
        return object
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
