import Foundation
import HTTPTypes
import ImageCore
import ImageHTTPCaching
import Metrics

/// Counts what the server does.
final class ServerMetrics: Sendable {
    private let registry: PrometheusMetrics
    private let results: [String: Counter]
    private let renderings: [String: Counter]
    private let responses: [String: Counter]
    private let failures: [String: Counter]
    private let durations: [String: Metrics.Timer]
    private let resultBytes: Recorder
    private let stages: [RenderingStage: Metrics.Timer]

    private static let statuses =
        [200, 204, 206, 304, 400, 401, 403, 404, 405, 412, 416, 422, 429, 500, 502, 503, 504].map { "\($0)" } + [
            "other"
        ]

    /// Creates metrics of nothing.
    /// - Parameter registry: Keeps them, with those of the loader.
    init(_ registry: PrometheusMetrics) {
        func counters(_ name: String, _ label: String, _ values: [String]) -> [String: Counter] {
            let counters = values.map { ($0, Counter(label: name, dimensions: [(label, $0)], factory: registry)) }
            return Dictionary(counters) { first, _ in first }
        }
        func timer(_ name: String, _ label: String, _ value: String) -> Metrics.Timer {
            Metrics.Timer(label: name, dimensions: [(label, value)], factory: registry)
        }
        let levels = ResultLevel.allCases.map(\.rawValue)
        self.registry = registry
        results = counters("image_results_total", "level", levels)
        renderings = counters("image_renderings_total", "format", OutputFormats.all.map(\.format.rawValue))
        responses = counters("image_responses_total", "status", Self.statuses)
        failures = counters("image_failures_total", "reason", ServiceFailure.reasons)
        durations = Dictionary(
            uniqueKeysWithValues: (levels + [""]).map { ($0, timer("image_request_duration_seconds", "cache", $0)) })
        stages = Dictionary(
            uniqueKeysWithValues: RenderingStage.allCases.map {
                ($0, timer("image_stage_seconds", "stage", $0.rawValue))
            })
        resultBytes = Recorder(label: "image_result_bytes", factory: registry)
    }

    /// Counts a response, and records the time until it was made.
    func record(_ response: ServerResponse, _ time: Duration) {
        (responses["\(response.status)"] ?? responses["other"])?.increment()
        if let failure = response.failure { failures[failure.reason]?.increment() }
        durations[response.headers[.cacheLevel] ?? ""]?.record(duration: time)
    }

    /// Counts an answer, and records its stages if it was rendered.
    func record(_ answer: ImageAnswer) {
        results[answer.level.rawValue]?.increment()
        guard answer.level == .origin else { return }
        renderings[answer.result.metadata.format]?.increment()
        resultBytes.record(answer.result.data.count)
        for (stage, timer) in stages {
            if let time = answer.times[stage] { timer.record(duration: time) }
        }
    }

    /// Returns the page with all metrics.
    ///
    /// - Parameter accept: The Accept field of the request, which may ask for OpenMetrics.
    func page(accept: String?) -> ServerResponse {
        let isOpen = MediaRanges(accept).prefers("application/openmetrics-text", to: "text/plain")
        return ServerResponse(
            status: 200, text: registry.text(isOpen ? .openMetrics : .text),
            type: isOpen
                ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                : "text/plain; version=0.0.4; charset=utf-8",
            headers: [.vary: "Accept"])
    }

    /// Sets the metrics that go up and down.
    ///
    /// - Parameters:
    ///   - parts: The service whose renderings and memory are shown.
    ///   - work: The numbers of downloads and decodes that wait and that run.
    static func updateGauges(of parts: ImageServiceParts, work: (waiting: Int, running: Int)) {
        let gauges = [
            "image_memory_cache_bytes": parts.cache.memoryByteCount,
            "image_origins_unavailable": parts.unavailableOriginCount(),
            "image_renderings_in_progress": parts.gate.runningCount,
            "image_renderings_waiting": parts.gate.waitingCount,
            "image_work_running": work.running, "image_work_waiting": work.waiting,
            "process_resident_memory_bytes": residentBytes ?? 0,
        ]
        for (name, value) in gauges { Meter(label: name, factory: parts.metrics).set(value) }
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

extension ServerMetrics {
    /// The descriptions of all metrics, those of the loader included.
    static let help = [
        "image_failures_total": "Requests without a result, by reason.",
        "image_loader_disk_failures_total": "Failures of the cache of originals.",
        "image_loader_downloaded_bytes_total": "Bytes of originals received from origins.",
        "image_loader_failures_total": "Originals that could not be loaded, by type of the error.",
        "image_loader_request_duration_seconds": "Time until an original was loaded, by its source.",
        "image_loader_requests_in_progress": "Originals that are being loaded.",
        "image_loader_shared_bytes_total": "Bytes of downloads that further requests for an original used, too.",
        "image_loader_stage_duration_seconds": "Time of the stages of loading originals.",
        "image_memory_cache_bytes": "Size of the results in memory.",
        "image_origins_unavailable": "Origins that can't be reached, and get no requests for a time.",
        "image_renderings_in_progress": "Renderings that run or wait for a source or a decoder.",
        "image_renderings_total": "Rendered results, by format.",
        "image_renderings_waiting": "Requests that wait to be rendered.",
        "image_request_duration_seconds":
            "Time until a response was made, by the cache of the result; empty for responses without a result.",
        "image_responses_total": "Responses, by status.",
        "image_result_bytes": "Size of rendered results.",
        "image_results_total": "Results, by the cache they are from.",
        "image_spans_dropped_total": "Spans that did not reach the collector.",
        "image_spans_exported_total": "Spans that the collector received.",
        "image_stage_seconds": "Time of the stages of renderings.",
        "image_work_running": "Downloads and decodes that run.",
        "image_work_waiting": "Downloads and decodes that wait.",
        "process_resident_memory_bytes": "Resident memory of the process.",
    ]
}
