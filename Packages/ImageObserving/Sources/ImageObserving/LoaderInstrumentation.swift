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
        private let tracer: (any Tracer)?
        private let address: @Sendable (URL) -> String
        private let next: (any ImageLoaderObserver)?
        private let now: @Sendable () -> Date
        private let requests = Mutex(RequestTable<RequestSpan?>())

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
            address: @escaping @Sendable (URL) -> String = { LoaderInstrumentation.redacted($0) },
            next: (any ImageLoaderObserver)? = nil, now: @escaping @Sendable () -> Date = { Date() }
        ) {
            log = logger.map { LoaderLog(logger: $0) }
            self.metrics = metrics.map { LoaderMetrics($0) }
            self.tracer = tracer
            self.address = address
            self.next = next
            self.now = now
        }

        /// Returns a text without the credentials, queries and fragments of the URLs in it, which end at a space.
        public static func redacted(_ text: String) -> String { text.withoutSecrets }

        /// Returns a URL without its credentials, query and fragment, and without the content of a `data:` URL.
        public static func redacted(_ url: URL) -> String { url.withoutSecrets }

        public func handle(_ event: ImageLoadEvent) {
            let writes = log?.accepts(event.kind) ?? false
            let address = writes || tracer != nil ? event.url.map(address) : nil
            if event.kind == .started {
                let span = tracer.map { RequestSpan($0, at: now(), address) }
                requests.withLock { $0.insert(event.requestID, span) }
            }
            let (stage, span) = advance(event)
            metrics?.record(event.kind, stage, event.elapsed)
            span?.record(event, stage, address)
            if writes {
                // So that the logger can add the identity of the trace.
                ServiceContext.$current.withValue(span?.context ?? ServiceContext.current) {
                    log?.write(event, stage, address)
                }
            }
            next?.handle(event)
        }

        /// Returns the stage that the event has ended, and the span of the request. Nil for events of no request.
        private func advance(_ event: ImageLoadEvent) -> (RequestTimeline.Stage?, RequestSpan?) {
            requests.withLock { requests in
                requests.handle(event) { span, _, stage in
                    let current = span
                    if stage?.name == .download { span?.downloads += 1 }
                    return (stage, current)
                } ?? (nil, nil)
            }
        }
    }
#endif
