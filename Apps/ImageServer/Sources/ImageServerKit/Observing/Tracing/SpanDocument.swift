import Foundation
import Tracing

/// Spans in OTLP's JSON (opentelemetry-proto, `ExportTraceServiceRequest`): 64-bit integers are texts, and identities
/// are hexadecimal.
struct SpanDocument: Encodable {
    private let resourceSpans: [ResourceSpans]

    /// - Parameter service: The name of the service.
    init(_ spans: [FinishedSpan], service: String, version: String) {
        let attributes = [
            Attribute(key: "service.name", value: .string(service)),
            Attribute(key: "service.version", value: .string(version)),
        ]
        let scope = Scope(name: "image-server", version: version)
        resourceSpans = [
            ResourceSpans(
                resource: Resource(attributes: attributes),
                scopeSpans: [ScopeSpans(scope: scope, spans: spans.map(Record.init))])
        ]
    }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable { let attributes: [Attribute] }

    private struct Scope: Encodable { let name, version: String }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [Record]
    }

    private struct Event: Encodable {
        let timeUnixNano, name: String
        let attributes: [Attribute]
    }

    private struct Status: Encodable { let code = 2 }

    private struct Record: Encodable {
        let traceId, spanId: String
        let parentSpanId, traceState: String?
        let name: String
        let kind: Int
        let startTimeUnixNano, endTimeUnixNano: String
        let attributes: [Attribute]
        let events: [Event]
        let status: Status?

        init(_ span: FinishedSpan) {
            traceId = span.trace.traceID
            spanId = span.trace.spanID
            parentSpanId = span.parent
            traceState = span.trace.state.isEmpty ? nil : span.trace.state
            name = span.name
            kind = span.kind.number
            startTimeUnixNano = "\(span.start)"
            endTimeUnixNano = "\(span.end)"
            attributes = Attribute.all(span.attributes)
            events = span.events.map { event in
                Event(
                    timeUnixNano: "\(event.nanosecondsSinceEpoch)", name: event.name,
                    attributes: Attribute.all(event.attributes))
            }
            status = span.isFailed ? Status() : nil
        }
    }

    private struct Attribute: Encodable {
        let key: String
        let value: Value

        static func all(_ attributes: SpanAttributes) -> [Attribute] {
            var all: [Attribute] = []
            attributes.forEach { all.append(Attribute(key: $0, value: Value($1))) }
            return all.sorted { $0.key < $1.key }
        }
    }

    /// An `AnyValue`: an object with one member.
    private enum Value: Encodable {
        case string(String)
        case integer(Int64)
        case number(Double)
        case flag(Bool)

        init(_ attribute: SpanAttribute) {
            self =
                switch attribute {
                case .string(let text): .string(text)
                case .int32(let number): .integer(Int64(number))
                case .int64(let number): .integer(number)
                case .double(let number): .number(number)
                case .bool(let flag): .flag(flag)
                case .stringConvertible(let value): .string(value.description)
                default: .string("\(attribute)")
                }
        }

        private enum Key: String, CodingKey { case stringValue, intValue, doubleValue, boolValue }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            switch self {
            case .string(let text): try object.encode(text, forKey: .stringValue)
            case .integer(let number): try object.encode("\(number)", forKey: .intValue)
            case .number(let number): try object.encode(number, forKey: .doubleValue)
            case .flag(let flag): try object.encode(flag, forKey: .boolValue)
            }
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
