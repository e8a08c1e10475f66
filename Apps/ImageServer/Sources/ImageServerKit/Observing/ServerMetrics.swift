public import CoreMetrics
import ImageCore

/// The metrics of the server.
public struct ServerMetrics: Sendable {
    private let levels: [ResultLevel: Counter]
    private let stages: [StageTimes.Stage: Timer]
    private let formats: [ImageFormat: Counter]
    private let statuses: [Int: Counter]
    private let otherStatuses: Counter
    private let refusals: Counter
    private let resultBytes: Recorder
    private let gauges: Gauges

    /// The state of a server at one time.
    public struct Gauges: Sendable {
        fileprivate let rendering, waiting, running, memoryBytes, residentBytes: Meter
    }

    /// - Parameter factory: Creates the metrics.
    public init(factory: any MetricsFactory) {
        levels = Self.each(ResultLevel.allCases) { level in
            Counter(label: "image_results_total", dimensions: [("level", level.rawValue)], factory: factory)
        }
        stages = Self.each(StageTimes.Stage.allCases) { stage in
            Timer(
                label: "image_stage_seconds", dimensions: [("stage", stage.rawValue)],
                preferredDisplayUnit: .seconds, factory: factory)
        }
        formats = Self.each(OutputFormats.all.map(\.format)) { format in
            Counter(label: "image_renderings_total", dimensions: [("format", format.rawValue)], factory: factory)
        }
        statuses = Self.each([200, 206, 304, 400, 403, 404, 405, 412, 416, 422, 500, 502, 503, 504]) { status in
            Counter(label: "image_responses_total", dimensions: [("status", "\(status)")], factory: factory)
        }
        otherStatuses = Counter(label: "image_responses_total", dimensions: [("status", "other")], factory: factory)
        refusals = Counter(label: "image_renderings_refused_total", dimensions: [], factory: factory)
        resultBytes = Recorder(label: "image_result_bytes", dimensions: [], aggregate: true, factory: factory)
        gauges = Gauges(
            rendering: Self.meter("image_renderings_in_progress", factory),
            waiting: Self.meter("image_work_waiting", factory), running: Self.meter("image_work_running", factory),
            memoryBytes: Self.meter("image_memory_cache_bytes", factory),
            residentBytes: Self.meter("process_resident_memory_bytes", factory))
    }

    /// Counts a response.
    public func recordStatus(_ status: Int) { (statuses[status] ?? otherStatuses).increment() }

    /// Counts a failure if it is a refusal because of the load.
    public func record(_ failure: ServiceFailure) {
        if case .overloaded = failure { refusals.increment() }
    }

    /// Counts an answer, and records its stages if it was rendered.
    public func record(_ answer: ImageAnswer) {
        levels[answer.level]?.increment()
        guard answer.level == .origin else { return }
        formats[answer.result.metadata.imageFormat]?.increment()
        resultBytes.record(answer.result.data.count)
        for (stage, timer) in stages {
            if let time = answer.times[stage] { timer.recordNanoseconds(Int64(time.seconds * 1e9)) }
        }
    }

    /// Updates the gauges.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - waiting: The number of downloads and decodes that wait.
    ///   - running: The number of downloads and decodes that run.
    public func update(_ service: ImageService, waiting: Int, running: Int) {
        gauges.rendering.set(service.parts.gate.count)
        gauges.memoryBytes.set(service.parts.cache.memoryByteCount)
        gauges.waiting.set(waiting)
        gauges.running.set(running)
        if let bytes = ProcessMemory.residentBytes { gauges.residentBytes.set(bytes) }
    }

    private static func meter(_ label: String, _ factory: any MetricsFactory) -> Meter {
        Meter(label: label, dimensions: [], factory: factory)
    }

    private static func each<Key: Hashable, Metric>(_ keys: [Key], _ make: (Key) -> Metric) -> [Key: Metric] {
        Dictionary(keys.map { ($0, make($0)) }, uniquingKeysWith: { first, _ in first })
    }
}
