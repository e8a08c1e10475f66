import Foundation
import HTTPTypes
import ImageCore
import ImageObserving
import ImageTransporting
import Logging
import Metrics
import Synchronization

/// Where spans are sent.
package struct SpanCollector: Sendable {
    /// The address that receives them, for example http://localhost:4318/v1/traces.
    var url: URL
    /// Header fields of the requests, for example of a token.
    var headers: HTTPFields
    /// The name of this service.
    var service: String
    /// The share of new traces that are recorded, from 0 to 1.
    var sampleRatio: Double
}

/// Sends spans to a collector of OpenTelemetry: OTLP over HTTP, in JSON.
///
/// Requests never wait for it. Spans beyond the limit of the queue are dropped and counted.
final class SpanExporter: Sendable {
    private enum Outcome { case sent, refused, unavailable }

    private struct State {
        var queue: [FinishedSpan] = []
        var isFailing = false
    }

    static let queueLimit = 8_192
    static let batchLimit = 512
    private static let interval = Duration.seconds(1)
    private static let timeout = Duration.seconds(5)

    private let collector: SpanCollector
    private let transport: any DataTransport
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let dropped: Counter
    private let exported: Counter
    private let state = Mutex(State())

    /// - Parameters:
    ///   - transport: Sends requests to the collector.
    ///   - metrics: Makes the counters of sent and of dropped spans.
    ///   - logger: Receives a message when the collector starts or stops to fail.
    ///   - clock: Measures the time between batches.
    init(
        to collector: SpanCollector, over transport: any DataTransport, metrics: any MetricsFactory, logger: Logger,
        clock: any Clock<Duration>
    ) {
        self.collector = collector
        self.transport = transport
        self.logger = logger
        self.clock = clock
        dropped = Counter(label: "image_spans_dropped_total", factory: metrics)
        exported = Counter(label: "image_spans_exported_total", factory: metrics)
    }

    /// Queues a span, or drops it if the queue is full.
    func add(_ span: FinishedSpan) {
        let isQueued = state.withLock { state in
            guard state.queue.count < Self.queueLimit else { return false }
            state.queue.append(span)
            return true
        }
        if !isQueued { dropped.increment() }
    }

    /// Sends what is queued, each second, until the task is cancelled.
    func run() async {
        while (try? await clock.sleep(for: Self.interval)) != nil { await sendQueue() }
    }

    /// Sends the last spans, for at most five seconds. What remains is dropped.
    func finish() async {
        // Its end is what matters here, and the rest is counted.
        try? await withDeadline(Self.timeout, clock: clock) { await self.sendQueue() }
        let rest = state.withLock { state in
            defer { state.queue = [] }
            return state.queue.count
        }
        guard rest > 0 else { return }
        dropped.increment(by: rest)
        logger.warning("spans were not exported", metadata: ["count": "\(rest)"])
    }

    /// Sends batches until the queue is empty or the collector is unavailable. Then the batch waits for the next time.
    private func sendQueue() async {
        while let batch = takeBatch() {
            switch await send(batch) {
            case .sent: exported.increment(by: batch.count)
            case .refused: dropped.increment(by: batch.count)
            case .unavailable: return putBack(batch)
            }
        }
    }

    private func takeBatch() -> [FinishedSpan]? {
        state.withLock { state in
            let batch = Array(state.queue.prefix(Self.batchLimit))
            state.queue.removeFirst(batch.count)
            return batch.isEmpty ? nil : batch
        }
    }

    private func putBack(_ batch: [FinishedSpan]) {
        let rest = state.withLock { state in
            let kept = batch.prefix(Self.queueLimit - state.queue.count)
            state.queue.insert(contentsOf: kept, at: 0)
            return batch.count - kept.count
        }
        if rest > 0 { dropped.increment(by: rest) }
    }

    /// Statuses that OTLP's specification names can be tried again, as can failures of the network.
    private func send(_ batch: [FinishedSpan]) async -> Outcome {
        do {
            let response = try await transport.send(try request(for: batch))
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
            changed(isFailing: true, "\(error)".withoutSecrets)
            return error is TransportFailure ? .unavailable : .refused
        }
    }

    private func request(for batch: [FinishedSpan]) throws -> TransportRequest {
        let body = try SpanDocument.json(batch, service: collector.service, version: PackageVersion.current)
        var request = TransportRequest(
            url: collector.url, method: .post, headers: collector.headers, body: body,
            connectTimeout: Self.timeout, stallTimeout: Self.timeout, totalTimeout: Self.timeout,
            maxBodyBytes: 1 << 20, followsRedirects: false)
        request.headers[.contentType] = "application/json"
        return request
    }

    private func changed(isFailing: Bool, _ error: String = "") {
        let isNew = state.withLock { state in
            defer { state.isFailing = isFailing }
            return state.isFailing != isFailing
        }
        guard isNew else { return }
        if isFailing {
            logger.warning("spans can't be exported", metadata: ["error": "\(error)"])
        } else {
            logger.notice("spans are exported again")
        }
    }
}
