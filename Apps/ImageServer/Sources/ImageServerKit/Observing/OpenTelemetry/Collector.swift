import Foundation
import HTTPTypes
import ImageCore
import ImageLoaderKit
import ImageObserving
import ImageTransporting
import Logging
import Synchronization
import Tracing

/// Where spans and metrics are sent.
struct Collector: Sendable {
    /// The address of spans, such as http://localhost:4318/v1/traces; nil to send none.
    var traces: URL?
    /// The address of metrics; nil to send none.
    var metrics: URL?
    /// Header fields of the requests, for example of a token.
    var headers: HTTPFields = [:]
    /// The name of this service.
    var service: String
    /// Tells this process apart from others of the service.
    var instance = UUID().uuidString.lowercased()
    /// The share of traces that are recorded, from 0 to 1.
    var sampleRatio = 1.0
    /// Whether clients decide about their own traces.
    var trustsParents = false
    /// The time between exports of metrics.
    var metricsInterval = Duration.seconds(60)
}

/// Sends records of one kind to a collector of OpenTelemetry: OTLP over HTTP, in JSON.
///
/// Logs when the collector starts or stops to fail, and not each failure.
final class CollectorClient: Sendable {
    enum Kind: String { case spans, metrics }
    enum Outcome { case sent, refused, unavailable }

    /// The longest time for a request.
    static let timeout = Duration.seconds(5)

    private let kind: Kind
    private let url: URL
    private let collector: Collector
    private let transport: any DataTransport
    private let logger: Logger
    private let isFailing = Mutex(false)

    init(_ kind: Kind, at url: URL, of collector: Collector, over transport: any DataTransport, logger: Logger) {
        self.kind = kind
        self.url = url
        self.collector = collector
        self.transport = transport
        self.logger = logger
    }

    /// Sends records. Statuses that OTLP's specification names can be tried again, as can failures of the network.
    func send(_ records: [[String: Any]]) async -> Outcome {
        do {
            let response = try await transport.send(try request(for: records))
            response.body.discard()
            let status = response.head.status.code
            if (200..<300).contains(status) {
                changed(isFailing: false)
                return .sent
            }
            changed(isFailing: true, "status \(status)")
            return [429, 502, 503, 504].contains(status) ? .unavailable : .refused
        } catch {
            if Task.isCancelled { return .unavailable }
            changed(isFailing: true, LoaderInstrumentation.redacted("\(error)"))
            return error is TransportError ? .unavailable : .refused
        }
    }

    private func request(for records: [[String: Any]]) throws -> TransportRequest {
        let body = try OTLPDocument.json(kind, records, of: collector)
        var request = TransportRequest(
            url: url, method: .post, headers: collector.headers, body: body, connectTimeout: Self.timeout,
            stallTimeout: Self.timeout, totalTimeout: Self.timeout, bodyByteLimit: 1 << 20, followsRedirects: false)
        request.headers[.contentType] = "application/json"
        return request
    }

    private func changed(isFailing: Bool, _ error: String = "") {
        let isNew = self.isFailing.withLock { state in
            defer { state = isFailing }
            return state != isFailing
        }
        guard isNew else { return }
        if isFailing {
            logger.warning("\(kind.rawValue) can't be exported", metadata: ["error": "\(error)"])
        } else {
            logger.notice("\(kind.rawValue) are exported again")
        }
    }
}

/// The parts that OTLP's requests in JSON have in common: 64-bit integers are texts.
enum OTLPDocument {
    /// Returns an `ExportTraceServiceRequest` or an `ExportMetricsServiceRequest` (opentelemetry-proto).
    static func json(
        _ kind: CollectorClient.Kind, _ records: [[String: Any]], of collector: Collector
    ) throws -> Data {
        let version = ImageLoader.version
        let resource = attributes([
            "service.name": .string(collector.service), "service.version": .string(version),
            "service.instance.id": .string(collector.instance),
        ])
        let scope: [String: Any] = ["scope": ["name": "image-server", "version": version], kind.rawValue: records]
        let name = kind.rawValue.capitalized
        let group: [String: Any] = ["resource": ["attributes": resource], "scope\(name)": [scope]]
        return try JSONSerialization.data(withJSONObject: ["resource\(name)": [group]])
    }

    static func attributes(_ attributes: SpanAttributes) -> [[String: Any]] {
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
