#if Observability
    import ImageCore
    import Metrics

    /// The metrics of a loader. Each label has a small number of values.
    final class LoaderMetrics: Sendable {
        private let factory: any MetricsFactory
        private let requests: [String: Metrics.Timer]
        private let stages: [RequestStage: Metrics.Timer]
        private let inProgress: Meter
        private let downloadedBytes: Counter
        private let sharedBytes: Counter
        private let diskFailures: Counter

        init(_ factory: any MetricsFactory) {
            self.factory = factory
            let outcomes = ImageSource.allCases.map(\.rawValue) + ["failed", "cancelled"]
            requests = Dictionary(
                uniqueKeysWithValues: outcomes.map { outcome in
                    (outcome, Self.timer("image_loader_request_duration_seconds", ["outcome": outcome], factory))
                })
            stages = Dictionary(
                uniqueKeysWithValues: RequestStage.allCases.map { stage in
                    (stage, Self.timer("image_loader_stage_duration_seconds", ["stage": stage.rawValue], factory))
                })
            inProgress = Meter(label: "image_loader_requests_in_progress", factory: factory)
            downloadedBytes = Counter(label: "image_loader_downloaded_bytes_total", factory: factory)
            sharedBytes = Counter(label: "image_loader_shared_bytes_total", factory: factory)
            diskFailures = Counter(label: "image_loader_disk_failures_total", factory: factory)
        }

        private static func timer(
            _ name: String, _ labels: KeyValuePairs<String, String>, _ factory: any MetricsFactory
        ) -> Metrics.Timer {
            Metrics.Timer(
                label: name, dimensions: labels.map { ($0.key, $0.value) }, preferredDisplayUnit: .seconds,
                factory: factory)
        }

        /// - Parameters:
        ///   - stage: The stage that the event has ended.
        ///   - elapsed: The time since the start of the request.
        func record(_ kind: ImageLoadEvent.Kind, _ stage: RequestTimeline.Stage?, _ elapsed: Duration) {
            if let stage { stages[stage.name]?.record(duration: stage.time) }
            if let outcome = kind.outcome {
                inProgress.decrement()
                requests[outcome]?.record(duration: elapsed)
            }
            switch kind {
            case .started: inProgress.increment()
            case .downloadFinished(let bytes): downloadedBytes.increment(by: bytes)
            case .joined(let bytes): sharedBytes.increment(by: bytes)
            case .diskFailed: diskFailures.increment()
            case .failed(let error):
                Counter(
                    label: "image_loader_failures_total", dimensions: [("error_type", error.label)], factory: factory
                ).increment()
            case .worker(let event):
                Counter(
                    label: "image_loader_worker_events_total", dimensions: [("event", event.label)], factory: factory
                ).increment()
            default: break
            }
        }
    }

    extension WorkerEvent {
        /// The value of the label in metrics.
        fileprivate var label: String {
            switch self {
            case .failed: "failed"
            case .callRefused: "call_refused"
            case .unprotected: "unprotected"
            @unknown default: "_OTHER"
            }
        }
    }
#endif
