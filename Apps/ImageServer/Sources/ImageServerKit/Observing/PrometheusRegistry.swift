public import CoreMetrics
import Synchronization

/// Collects the metrics of swift-metrics, and writes them in the text format 0.0.4 of Prometheus.
///
/// Timers and recorders become histograms. The labels of metrics must be names of Prometheus.
public final class PrometheusRegistry: MetricsFactory {
    private let metrics = Mutex<[MetricID: any PrometheusMetric]>([:])

    /// The upper bounds of the buckets of timers in seconds.
    static let timerBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// The upper bounds of the buckets of recorders.
    static let recorderBounds = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]

    /// Creates a registry without metrics.
    public init() {}

    /// Returns all metrics as text, in alphabetical order.
    public func text() -> String {
        let all = metrics.withLock { $0 }.sorted { $0.key < $1.key }
        var lines: [String] = []
        var name = ""
        for (id, metric) in all {
            if id.name != name { lines.append("# TYPE \(id.name) \(metric.kind)") }
            name = id.name
            lines += metric.lines(id)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(label, dimensions) { PrometheusCounter() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metric(label, dimensions) { PrometheusGauge() }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return metric(label, dimensions) { PrometheusHistogram(bounds: Self.recorderBounds) } }
        return metric(label, dimensions) { PrometheusGauge() }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metric(label, dimensions) { PrometheusHistogram(bounds: Self.timerBounds) }
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func remove(_ handler: AnyObject) {
        metrics.withLock { metrics in metrics = metrics.filter { $0.value !== handler } }
    }

    /// Returns the metric with a name and dimensions, or creates it. A name with another kind gives a metric that is not
    /// shown, because two kinds with one name are not valid.
    private func metric<Metric: PrometheusMetric>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Metric
    ) -> Metric {
        let id = MetricID(label, dimensions)
        return metrics.withLock { metrics in
            if let existing = metrics[id] { return existing as? Metric ?? make() }
            let made = make()
            metrics[id] = made
            return made
        }
    }
}

/// The name and the dimensions of a metric.
struct MetricID: Hashable, Comparable {
    let name: String
    private let dimensions: [String]

    init(_ name: String, _ dimensions: [(String, String)]) {
        self.name = name
        self.dimensions = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.sorted()
    }

    /// Returns a line with a value.
    func line(_ value: String, suffix: String = "", label: String? = nil) -> String {
        let labels = dimensions + (label.map { [$0] } ?? [])
        return name + suffix + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") + " " + value
    }

    static func < (left: MetricID, right: MetricID) -> Bool {
        (left.name, left.dimensions.joined(separator: ",")) < (right.name, right.dimensions.joined(separator: ","))
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.joined()
    }
}

protocol PrometheusMetric: AnyObject, Sendable {
    /// The type in the text format.
    var kind: String { get }
    /// The lines of the metric.
    func lines(_ id: MetricID) -> [String]
}

final class PrometheusCounter: PrometheusMetric, CounterHandler {
    private let value = Atomic<Int64>(0)

    var kind: String { "counter" }

    func increment(by amount: Int64) { value.wrappingAdd(max(0, amount), ordering: .relaxed) }

    func reset() { value.store(0, ordering: .relaxed) }

    func lines(_ id: MetricID) -> [String] { [id.line("\(value.load(ordering: .relaxed))")] }
}

final class PrometheusGauge: PrometheusMetric, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    var kind: String { "gauge" }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { self.value.withLock { $0 = value } }

    func increment(by amount: Double) { value.withLock { $0 += amount } }

    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func lines(_ id: MetricID) -> [String] { [id.line("\(value.withLock { $0 })")] }
}

final class PrometheusHistogram: PrometheusMetric, TimerHandler, RecorderHandler {
    private struct State {
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var kind: String { "histogram" }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func lines(_ id: MetricID) -> [String] {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total = 0
        var lines: [String] = []
        for (count, bound) in zip(counts, bounds.map { "\($0)" } + ["+Inf"]) {
            total += count
            lines.append(id.line("\(total)", suffix: "_bucket", label: "le=\"\(bound)\""))
        }
        return lines + [id.line("\(sum)", suffix: "_sum"), id.line("\(total)", suffix: "_count")]
    }
}
