#if Observability
    import ImageCore
    import Synchronization
    import Tracing

    /// Makes a span of each request, with a child for each stage.
    final class LoaderTracing: Sendable {
        private let tracer: any Tracer
        private let now: @Sendable () -> Date
        private let requests = Mutex<[UInt64: TracedRequest]>([:])

        init(_ tracer: any Tracer, now: @escaping @Sendable () -> Date) {
            self.tracer = tracer
            self.now = now
        }

        /// Returns the context of the request's span, if the request is in progress.
        ///
        /// - Parameters:
        ///   - stage: The stage that the event has ended.
        ///   - address: The text of the URL.
        func record(_ event: ImageLoadEvent, _ stage: RequestTimeline.Stage?, _ address: String?) -> ServiceContext? {
            if event.request == 0 { return nil }
            if event.kind == .started { start(event, address) }
            guard let request = request(of: event, stage) else { return nil }
            if let stage { addSpan(of: stage, event, address, to: request) }
            note(event, in: request)
            if event.kind.isEnd { end(request, event) }
            return request.span.context
        }

        private func start(_ event: ImageLoadEvent, _ address: String?) {
            let start = UInt64(max(0, now().timeIntervalSince1970) * 1e9)
            let span = tracer.startSpan("image request", ofKind: .internal, at: Instant(nanosecondsSinceEpoch: start))
            span.attributes["url.full"] = address
            requests.withLock { $0[event.request] = TracedRequest(span: span, start: start) }
        }

        private func request(of event: ImageLoadEvent, _ stage: RequestTimeline.Stage?) -> TracedRequest? {
            requests.withLock { requests in
                let request = requests[event.request]
                if stage?.name == .download { requests[event.request]?.downloads += 1 }
                if event.kind.isEnd { requests[event.request] = nil }
                return request
            }
        }

        private func addSpan(
            of stage: RequestTimeline.Stage, _ event: ImageLoadEvent, _ address: String?, to request: TracedRequest
        ) {
            let exchange = stage.name == .download ? event.url?.server : nil
            let span = tracer.startSpan(
                stage.name.rawValue, context: request.span.context, ofKind: exchange == nil ? .internal : .client,
                at: request.instant(stage.start))
            if let exchange {
                span.attributes["http.request.method"] = "GET"
                span.attributes["url.full"] = address
                span.attributes["server.address"] = exchange.host
                span.attributes["server.port"] = exchange.port
                if request.downloads > 0 { span.attributes["http.request.resend_count"] = request.downloads }
                if case .downloadFinished(let bytes) = event.kind { span.attributes["http.response.body.size"] = bytes }
            }
            if !stage.isComplete { fail(span, event.kind.errorType ?? "_OTHER") }
            span.end(at: request.instant(stage.end))
        }

        /// Adds what is not a stage: the results of lookups, and how the request ended.
        private func note(_ event: ImageLoadEvent, in request: TracedRequest) {
            let instant = request.instant(event.elapsed)
            switch event.kind {
            case .memoryMiss(let miss): request.add("memory cache miss", ["reason": .string(miss.rawValue)], instant)
            case .diskMiss(let miss): request.add("disk cache miss", ["reason": .string(miss.rawValue)], instant)
            case .deferred: request.add("deferred", [:], instant)
            case .waitingForNetwork: request.add("waiting for a network", [:], instant)
            case .succeeded(let source): request.span.attributes["image.source"] = source.rawValue
            default: break
            }
        }

        private func end(_ request: TracedRequest, _ event: ImageLoadEvent) {
            if let type = event.kind.errorType { fail(request.span, type) }
            request.span.end(at: request.instant(event.elapsed))
        }

        /// A cancelled request or stage has a type, and is no error.
        private func fail(_ span: any Span, _ type: String) {
            span.attributes["error.type"] = type
            if type != ImageError.cancelled.type { span.setStatus(SpanStatus(code: .error)) }
        }
    }

    /// A request in progress.
    private struct TracedRequest {
        let span: any Span
        let start: UInt64
        var downloads = 0

        func instant(_ elapsed: Duration) -> Instant {
            Instant(nanosecondsSinceEpoch: start + UInt64(max(0, elapsed.seconds) * 1e9))
        }

        func add(_ name: String, _ attributes: [String: SpanAttribute], _ instant: Instant) {
            span.addEvent(SpanEvent(name: name, at: instant, attributes: SpanAttributes(attributes)))
        }
    }

    /// A time of a span.
    private struct Instant: TracerInstant {
        let nanosecondsSinceEpoch: UInt64

        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
    }

    extension ImageLoadEvent.Kind {
        fileprivate var errorType: String? {
            switch self {
            case .failed(let error): error.type
            case .cancelled: ImageError.cancelled.type
            case .diskMiss(.notAnImage): "not_an_image"
            default: nil
            }
        }
    }

    extension URL {
        /// The server of an HTTP URL.
        fileprivate var server: (host: String, port: Int)? {
            guard let scheme = scheme?.lowercased(), let host = host(), scheme == "http" || scheme == "https"
            else { return nil }
            return (host, port ?? (scheme == "http" ? 80 : 443))
        }
    }
#endif
