import Metrics
import Synchronization

/// Keeps the metrics of the server and of its loader, and writes them as text for Prometheus or as OTLP.
final class PrometheusMetrics: MetricsFactory {
    /// A format of text.
    enum Format: Sendable {
        /// Prometheus' own format, version 0.0.4.
        case text
        /// OpenMetrics, version 1.0.
        case openMetrics
    }

    enum Kind: String { case counter, gauge, histogram }

    struct Family {
        let kind: Kind
        /// The series by their labels, for example `format="png"`.
        var series: [String: Series] = [:]
    }

    private let families = Mutex<[String: Family]>([:])
    let help: [String: String]

    /// - Parameter help: The descriptions by the names of the metrics.
    init(help: [String: String] = ServerMetrics.help) { self.help = help }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram)
    }

    /// - Parameter aggregate: Whether it is a histogram. If not, it is a gauge.
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .histogram : .gauge)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    private func series(_ name: String, _ labels: [(String, String)], _ kind: Kind) -> Series {
        let text = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        return families.withLock { families in
            let family = families[name] ?? Family(kind: kind)
            let bounds = kind == .histogram ? Self.bounds(of: name) : nil
            let series = family.series[text] ?? Series(labels: labels, bounds: bounds)
            families[name] = family
            families[name]?.series[text] = series
            return series
        }
    }

    /// All metrics by their names.
    var all: [String: Family] { families.withLock { $0 } }

    /// Returns the unit in the name of a metric: seconds, bytes or nil.
    static func unit(of name: String) -> String? {
        ["seconds", "bytes"].first { name.hasSuffix("_" + $0) || name.hasSuffix("_\($0)_total") }
    }

    private static func bounds(of name: String) -> [Double] {
        name.hasSuffix("_bytes")
            ? [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]
            : [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Returns all metrics in alphabetical order.
    func text(_ format: Format) -> String {
        let text = all.sorted { $0.key < $1.key }.reduce(into: "") { text, family in
            for line in lines(of: family.key, family.value, format) { text += line + "\n" }
        }
        return format == .openMetrics ? text + "# EOF\n" : text
    }

    /// The lines of a family. OpenMetrics names counters without the suffix of their sample.
    private func lines(of name: String, _ family: Family, _ format: Format) -> [String] {
        let base = name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
        let shown = format == .openMetrics ? base : name
        var lines = help[name].map { ["# HELP \(shown) \($0)"] } ?? []
        lines.append("# TYPE \(shown) \(family.kind.rawValue)")
        // A comment in the text format 0.0.4.
        if let unit = Self.unit(of: name) { lines.append("# UNIT \(shown) \(unit)") }
        for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
            lines += series.samples(labels).map { "\(name)\($0)" }
        }
        return lines
    }
}

extension PrometheusMetrics {
    /// A number or a histogram. It has all operations of the kinds of metrics, of which each kind uses its own.
    final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        private struct State {
            /// The value, or the sum of a histogram.
            var value = 0.0
            var counts: [Int]
        }

        let labels: [(name: String, value: String)]
        /// The upper bounds of the buckets of a histogram; nil for a number.
        let bounds: [Double]?
        private let state: Mutex<State>

        init(labels: [(String, String)], bounds: [Double]?) {
            self.labels = labels.map { (name: $0, value: $1) }
            self.bounds = bounds
            state = Mutex(State(counts: Array(repeating: 0, count: (bounds?.count ?? -1) + 1)))
        }

        func increment(by amount: Int64) { increment(by: Double(amount)) }
        func increment(by amount: Double) { state.withLock { $0.value += amount } }
        func decrement(by amount: Double) { increment(by: -amount) }
        func set(_ value: Int64) { set(Double(value)) }
        func set(_ value: Double) { state.withLock { $0.value = value } }
        func reset() { set(0.0) }
        func record(_ value: Int64) { record(Double(value)) }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

        func record(_ value: Double) {
            guard let bounds else { return set(value) }
            let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
            state.withLock { state in
                state.counts[bucket] += 1
                state.value += value
            }
        }

        /// The value, or the sum of a histogram, and the counts of its buckets, each without those below.
        var values: (value: Double, counts: [Int]) { state.withLock { ($0.value, $0.counts) } }

        /// Returns what follows the name of the metric in its lines.
        fileprivate func samples(_ labels: String) -> [String] {
            let (value, counts) = values
            let all = labels.isEmpty ? "" : "{\(labels)}"
            guard let bounds else { return ["\(all) \(Self.text(value))"] }
            var total = 0
            let buckets = zip(counts, bounds.map { "\($0)" } + ["+Inf"]).map { count, bound in
                total += count
                return "_bucket{\(labels)\(labels.isEmpty ? "" : ",")le=\"\(bound)\"} \(total)"
            }
            return buckets + ["_sum\(all) \(Self.text(value))", "_count\(all) \(total)"]
        }

        private static func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
    }
}
