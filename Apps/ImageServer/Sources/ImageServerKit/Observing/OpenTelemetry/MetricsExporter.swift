import Foundation
import ImageCore

/// Sends metrics to a collector from time to time: the sums since the start, so that nothing is lost with a request.
///
/// Requests never wait for it, and there is one export at a time.
struct MetricsExporter: Sendable {
    let client: CollectorClient
    let metrics: PrometheusMetrics
    /// The time between exports.
    let interval: Duration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    /// The start of the sums.
    let start: Date
    /// Sets the gauges before an export.
    let updateGauges: @Sendable () -> Void

    /// Sends the metrics after each interval, until the task is cancelled.
    func run() async {
        while (try? await clock.sleep(for: interval)) != nil { await export() }
    }

    /// Sends the metrics for the last time, for at most five seconds.
    func finish() async {
        // The client logs what fails.
        try? await withDeadline(CollectorClient.timeout, clock: clock) { await export() }
    }

    private func export() async {
        updateGauges()
        // The next export has the same sums.
        _ = await client.send(metrics.otlp(from: start, to: now()))
    }
}

extension PrometheusMetrics {
    /// Returns all metrics in OTLP's JSON, in alphabetical order. Sums and histograms are cumulative since `start`.
    func otlp(from start: Date, to end: Date) -> [[String: Any]] {
        let times = ["startTimeUnixNano": start.unixNanoseconds, "timeUnixNano": end.unixNanoseconds]
        return all.sorted { $0.key < $1.key }.map { name, family in
            let points = family.series.sorted { $0.key < $1.key }.map { $0.value.otlp.merging(times) { own, _ in own } }
            var data: [String: Any] = ["dataPoints": points]
            // AGGREGATION_TEMPORALITY_CUMULATIVE
            if family.kind != .gauge { data["aggregationTemporality"] = 2 }
            if family.kind == .counter { data["isMonotonic"] = true }
            var metric: [String: Any] = ["name": name, family.kind == .counter ? "sum" : family.kind.rawValue: data]
            metric["description"] = help[name]
            metric["unit"] = Self.unit(of: name).map { $0 == "bytes" ? "By" : "s" }
            return metric
        }
    }
}

extension PrometheusMetrics.Series {
    /// The data point without its times. Its buckets aren't cumulative, as those of Prometheus are.
    fileprivate var otlp: [String: Any] {
        let (value, counts) = values
        let attributes = labels.map { ["key": $0.name, "value": ["stringValue": $0.value]] as [String: Any] }
        guard let bounds else { return ["attributes": attributes, "asDouble": value] }
        return [
            "attributes": attributes, "sum": value, "count": "\(counts.reduce(0, +))",
            "bucketCounts": counts.map { "\($0)" }, "explicitBounds": bounds,
        ]
    }
}

extension Date {
    /// Nanoseconds since 1970 as a text.
    fileprivate var unixNanoseconds: String { "\(SpanTime(self).nanosecondsSinceEpoch)" }
}
