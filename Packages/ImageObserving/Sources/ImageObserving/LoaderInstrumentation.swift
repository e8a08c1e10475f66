#if Observability
    public import ImageCore
    public import Logging
    public import Metrics
    import Synchronization
    public import Tracing

    /// Writes the events of a loader to swift-log, swift-metrics and swift-distributed-tracing.
    ///
    /// Each request has a span with children for its stages (`RequestStage`). It is a child of the span in which the
    /// request was made. Names and attributes are those of OpenTelemetry's semantic conventions.
    ///
    /// Nothing that it writes has the credentials, the query or the fragment of a URL, unless `address` returns them.
    public final class LoaderInstrumentation: ImageLoaderObserver {
        private let log: LoaderLog?
        private let metrics: LoaderMetrics?
        private let tracing: LoaderTracing?
        private let next: (any ImageLoaderObserver)?
        private let address: @Sendable (URL) -> String
        private let timelines = Mutex<[UInt64: RequestTimeline]>([:])

        /// Creates an observer for one loader, because others number their requests equally.
        ///
        /// - Parameters:
        ///   - logger: Receives failures at the level `warning`, the end of other requests at `debug`, and each step at
        ///     `trace`. Nil for no messages.
        ///   - metrics: Makes the metrics, whose names start with `image_loader_`. Nil for none.
        ///   - tracer: Makes the spans. Nil for none.
        ///   - address: Returns the text of a URL in messages and spans. Leave out what others must not read.
        ///   - next: Receives all events afterwards.
        ///   - now: Returns the current time, for the start of spans.
        public init(
            logger: Logger? = nil, metrics: (any MetricsFactory)? = nil, tracer: (any Tracer)? = nil,
            address: @escaping @Sendable (URL) -> String = { $0.withoutSecrets },
            next: (any ImageLoaderObserver)? = nil, now: @escaping @Sendable () -> Date
        ) {
            log = logger.map { LoaderLog(logger: $0) }
            self.metrics = metrics.map { LoaderMetrics($0) }
            tracing = tracer.map { LoaderTracing($0, now: now) }
            self.address = address
            self.next = next
        }

        public func handle(_ event: ImageLoadEvent) {
            let stage = timelines.withLock { timelines in
                if event.request == 0 { return RequestTimeline.Stage?.none }
                if event.kind == .started { timelines[event.request] = RequestTimeline() }
                let stage = timelines[event.request]?.handle(event)
                if event.kind.isEnd { timelines[event.request] = nil }
                return stage
            }
            metrics?.record(event.kind, stage, event.elapsed)
            let writes = log?.accepts(event.kind) ?? false
            let address = writes || tracing != nil ? event.url.map(address) : nil
            let context = tracing?.record(event, stage, address)
            if writes {
                // So that the logger can add the identity of the trace.
                ServiceContext.$current.withValue(context ?? ServiceContext.current) {
                    log?.write(event, stage, address)
                }
            }
            next?.handle(event)
        }
    }
#endif
