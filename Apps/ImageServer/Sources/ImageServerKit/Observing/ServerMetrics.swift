import Foundation
import HTTPTypes
import ImageCore
import Synchronization

/// Counts what the server does, and writes it in the text format 0.0.4 of Prometheus.
public final class ServerMetrics: Sendable {
    private struct State {
        var results = Counter("level", ResultLevel.allCases.map(\.rawValue))
        var renderings = Counter("format", OutputFormats.all.map(\.format.rawValue))
        var responses = Counter(
            "status",
            [200, 204, 206, 304, 400, 401, 403, 404, 405, 412, 416, 422, 429, 500, 502, 503, 504].map { "\($0)" } + [
                "other"
            ])
        var failures = Counter("reason", ServiceFailure.reasons)
        var durations = Dictionary(
            uniqueKeysWithValues: (ResultLevel.allCases.map(\.rawValue) + [""]).map { ($0, Histogram.ofSeconds) })
        var resultBytes = Histogram(bounds: [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8])
        var stages = StageTimes.Stage.allCases.map { _ in Histogram.ofSeconds }
    }

    private let state = Mutex(State())

    /// Creates metrics of nothing.
    public init() {}

    /// Counts a response, and records the time until it was made.
    func record(_ response: ServerResponse, _ time: Duration) {
        let level = response.headers[.cacheLevel] ?? ""
        state.withLock { state in
            state.responses.add("\(response.status)")
            if let failure = response.failure { state.failures.add(failure.reason) }
            state.durations[level]?.add(time.seconds)
        }
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
        let families: [Family] = [
            Family("image_failures_total", .counter, "Requests without a result, by reason.", state.failures.samples),
            Family(
                "image_memory_cache_bytes", .gauge, "Size of the results in memory.",
                service.parts.cache.memoryByteCount),
            Family(
                "image_origins_unavailable", .gauge, "Origins that can't be reached, and get no requests for a time.",
                service.parts.unavailableOriginCount()),
            Family(
                "image_renderings_in_progress", .gauge, "Renderings that run or wait for a source or a decoder.",
                service.parts.gate.runningCount),
            Family(
                "image_renderings_total", .counter, "Rendered results, by format.", state.renderings.samples),
            Family(
                "image_renderings_waiting", .gauge, "Requests that wait to be rendered.",
                service.parts.gate.waitingCount),
            Family(
                "image_request_duration_seconds", .histogram,
                "Time until a response was made, by the cache of the result; empty for responses without a result.",
                state.durations.sorted { $0.key < $1.key }.flatMap { $1.samples("cache=\"\($0)\"") }),
            Family("image_responses_total", .counter, "Responses, by status.", state.responses.samples),
            Family("image_result_bytes", .histogram, "Size of rendered results.", state.resultBytes.samples()),
            Family("image_results_total", .counter, "Results, by the cache they are from.", state.results.samples),
            Family("image_stage_seconds", .histogram, "Time of the stages of renderings.", stageSamples(state)),
            Family("image_work_running", .gauge, "Downloads and decodes that run.", work.running),
            Family("image_work_waiting", .gauge, "Downloads and decodes that wait.", work.waiting),
            Family(
                "process_resident_memory_bytes", .gauge, "Resident memory of the process.", Self.residentBytes ?? 0),
        ]
        return families.map(\.text).joined()
    }

    private func stageSamples(_ state: State) -> [Sample] {
        zip(StageTimes.Stage.allCases, state.stages).flatMap { stage, histogram in
            histogram.samples("stage=\"\(stage.rawValue)\"")
        }
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

/// What follows the name of a metric in a line: a suffix with labels, and the value.
private typealias Sample = (suffix: String, value: String)

/// The lines of a metric.
private struct Family {
    enum Kind: String { case counter, gauge, histogram }

    let text: String

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        text = samples.reduce(into: "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n") { text, sample in
            text += "\(name)\(sample.suffix) \(sample.value)\n"
        }
    }

    init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        self.init(name, kind, help, [("", "\(value)")])
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

    var samples: [Sample] { counts.sorted { $0.key < $1.key }.map { ("{\(label)=\"\($0.key)\"}", "\($0.value)") } }
}

private struct Histogram {
    private let bounds: [Double]
    private var counts: [Int]
    private var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    static var ofSeconds: Histogram {
        Histogram(bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
    }

    mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// - Parameter label: A label of all samples, with its value.
    func samples(_ label: String? = nil) -> [Sample] {
        var total = 0
        let (first, all) = (label.map { $0 + "," } ?? "", label.map { "{\($0)}" } ?? "")
        let buckets: [Sample] = zip(counts, bounds.map { "\($0)" } + ["+Inf"]).map { count, bound in
            total += count
            return ("_bucket{\(first)le=\"\(bound)\"}", "\(total)")
        }
        return buckets + [("_sum\(all)", "\(sum)"), ("_count\(all)", "\(total)")]
    }
}
