import Foundation
import ImageCore
import Synchronization

/// Counts what the server does, and writes it in the text format 0.0.4 of Prometheus.
public final class ServerMetrics: Sendable {
    private struct State {
        var results = Counter("level", ResultLevel.allCases.map(\.rawValue))
        var renderings = Counter("format", OutputFormats.all.map(\.format.rawValue))
        var responses = Counter(
            "status",
            [200, 206, 304, 400, 403, 404, 405, 412, 416, 422, 500, 502, 503, 504].map { "\($0)" } + ["other"])
        var refusals = 0
        var resultBytes = Histogram(bounds: [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8])
        var stages = StageTimes.Stage.allCases.map { _ in
            Histogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        }
    }

    private let state = Mutex(State())

    /// Creates metrics of nothing.
    public init() {}

    /// Counts a response.
    func recordStatus(_ status: Int) { state.withLock { $0.responses.add("\(status)") } }

    /// Counts a failure if it is a refusal because of the load.
    func record(_ failure: ServiceFailure) {
        if case .overloaded = failure { state.withLock { $0.refusals += 1 } }
    }

    /// Counts an answer, and records its stages if it was rendered.
    func record(_ answer: ImageAnswer) {
        state.withLock { state in
            state.results.add(answer.level.rawValue)
            guard answer.level == .origin else { return }
            state.renderings.add(answer.result.metadata.format)
            state.resultBytes.add(Double(answer.result.data.count))
            for (index, stage) in StageTimes.Stage.allCases.enumerated() {
                if let time = answer.times[stage] { state.stages[index].add(time.seconds) }
            }
        }
    }

    /// Returns all metrics in alphabetical order.
    ///
    /// - Parameters:
    ///   - service: The service whose renderings and memory are shown.
    ///   - work: The numbers of downloads and decodes that wait and that run.
    func text(_ service: ImageService, work: (waiting: Int, running: Int)) -> String {
        let state = state.withLock { $0 }
        let stages = zip(StageTimes.Stage.allCases, state.stages).flatMap { stage, histogram in
            histogram.lines("image_stage_seconds", "stage=\"\(stage.rawValue)\"")
        }
        let lines =
            Self.gauge("image_memory_cache_bytes", service.parts.cache.memoryByteCount)
            + Self.gauge("image_origins_unavailable", service.parts.unavailableOriginCount())
            + Self.gauge("image_renderings_in_progress", service.parts.gate.runningCount)
            + ["# TYPE image_renderings_refused_total counter", "image_renderings_refused_total \(state.refusals)"]
            + state.renderings.lines("image_renderings_total")
            + Self.gauge("image_renderings_waiting", service.parts.gate.waitingCount)
            + state.responses.lines("image_responses_total")
            + ["# TYPE image_result_bytes histogram"] + state.resultBytes.lines("image_result_bytes")
            + state.results.lines("image_results_total") + ["# TYPE image_stage_seconds histogram"] + stages
            + Self.gauge("image_work_running", work.running) + Self.gauge("image_work_waiting", work.waiting)
            + Self.gauge("process_resident_memory_bytes", Self.residentBytes ?? 0)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func gauge(_ name: String, _ value: Int) -> [String] {
        ["# TYPE \(name) gauge", "\(name) \(value)"]
    }

    /// The resident memory of this process, from `/proc/self/status`; nil on other systems than Linux.
    private static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kilobytes * 1_024
    }
}

/// Counts by the values of a label. A value that is not known counts as `other`.
private struct Counter {
    private let label: String
    private var counts: [String: Int]

    init(_ label: String, _ values: [String]) {
        self.label = label
        counts = Dictionary(values.map { ($0, 0) }, uniquingKeysWith: +)
    }

    mutating func add(_ value: String) { counts[counts[value] == nil ? "other" : value, default: 0] += 1 }

    func lines(_ name: String) -> [String] {
        ["# TYPE \(name) counter"]
            + counts.sorted { $0.key < $1.key }.map { "\(name){\(label)=\"\($0.key)\"} \($0.value)" }
    }
}

private struct Histogram {
    private let bounds: [Double]
    private var counts: [Int]
    private var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// - Parameter label: A label of all lines, with its value.
    func lines(_ name: String, _ label: String? = nil) -> [String] {
        var total = 0
        let (first, all) = (label.map { $0 + "," } ?? "", label.map { "{\($0)}" } ?? "")
        let buckets = zip(counts, bounds.map { "\($0)" } + ["+Inf"]).map { count, bound in
            total += count
            return "\(name)_bucket{\(first)le=\"\(bound)\"} \(total)"
        }
        return buckets + ["\(name)_sum\(all) \(sum)", "\(name)_count\(all) \(total)"]
    }
}
