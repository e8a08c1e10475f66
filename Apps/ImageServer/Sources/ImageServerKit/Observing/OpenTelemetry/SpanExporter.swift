import ImageCore
import Logging
import Metrics
import Synchronization

/// Sends spans to a collector in batches.
///
/// Requests never wait for it. Spans beyond the limit of the queue are dropped and counted.
final class SpanExporter: Sendable {
    static let queueLimit = 8_192
    static let batchLimit = 512
    private static let interval = Duration.seconds(1)

    private let client: CollectorClient
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let dropped: Counter
    private let exported: Counter
    private let queue = Mutex<[FinishedSpan]>([])

    /// - Parameter logger: Receives a message if spans are dropped at the end.
    init(_ client: CollectorClient, metrics: any MetricsFactory, logger: Logger, clock: any Clock<Duration>) {
        self.client = client
        self.logger = logger
        self.clock = clock
        dropped = Counter(label: "image_spans_dropped_total", factory: metrics)
        exported = Counter(label: "image_spans_exported_total", factory: metrics)
    }

    /// Queues a span, or drops it if the queue is full.
    func add(_ span: FinishedSpan) {
        let isQueued = queue.withLock { queue in
            guard queue.count < Self.queueLimit else { return false }
            queue.append(span)
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
        try? await withDeadline(CollectorClient.timeout, clock: clock) { await self.sendQueue() }
        let rest = queue.withLock { queue in
            defer { queue = [] }
            return queue.count
        }
        guard rest > 0 else { return }
        dropped.increment(by: rest)
        logger.warning("spans were not exported", metadata: ["count": "\(rest)"])
    }

    /// Sends batches until the queue is empty or the collector is unavailable. Then the batch waits for the next time.
    private func sendQueue() async {
        while let batch = takeBatch() {
            switch await client.send(batch.map(\.otlp)) {
            case .sent: exported.increment(by: batch.count)
            case .refused: dropped.increment(by: batch.count)
            case .unavailable: return putBack(batch)
            }
        }
    }

    private func takeBatch() -> [FinishedSpan]? {
        queue.withLock { queue in
            let batch = Array(queue.prefix(Self.batchLimit))
            queue.removeFirst(batch.count)
            return batch.isEmpty ? nil : batch
        }
    }

    private func putBack(_ batch: [FinishedSpan]) {
        let rest = queue.withLock { queue in
            let kept = batch.prefix(Self.queueLimit - queue.count)
            queue.insert(contentsOf: kept, at: 0)
            return batch.count - kept.count
        }
        if rest > 0 { dropped.increment(by: rest) }
    }
}
