#if Observability
    import ImageCore
    import Tracing

    /// The span of a request, with a child for each stage.
    struct RequestSpan: Sendable {
        private let tracer: any Tracer
        private let span: any Span
        private let start: UInt64
        /// The number of attempts that have ended.
        var downloads = 0

        /// Starts a span in the current context.
        ///
        /// - Parameter address: The text of the URL.
        init(_ tracer: any Tracer, at start: Date, _ address: String?) {
            self.tracer = tracer
            self.start = UInt64(max(0, start.timeIntervalSince1970) * 1e9)
            span = tracer.startSpan("image request", at: Instant(nanosecondsSinceEpoch: self.start))
            span.attributes["url.full"] = address
        }

        var context: ServiceContext { span.context }

        /// - Parameters:
        ///   - stage: The stage that the event has ended.
        ///   - address: The text of the URL.
        func record(_ event: ImageLoadEvent, _ stage: RequestTimeline.Stage?, _ address: String?) {
            if let stage { addSpan(of: stage, event, address) }
            switch event.kind {
            case .memoryMiss(let miss): note("memory cache miss", ["reason": .string(miss.rawValue)], event)
            case .diskMiss(let miss): note("disk cache miss", ["reason": .string(miss.rawValue)], event)
            case .deferred: note("deferred", [:], event)
            case .waitingForNetwork: note("waiting for a network", [:], event)
            case .succeeded(let source): span.attributes["image.source"] = source.rawValue
            case .failed, .cancelled: fail(span, event.kind)
            default: break
            }
            if event.kind.outcome != nil { span.end(at: instant(event.elapsed)) }
        }

        private func addSpan(of stage: RequestTimeline.Stage, _ event: ImageLoadEvent, _ address: String?) {
            let server = stage.name == .download ? event.url?.serverAddress : nil
            let child = tracer.startSpan(
                stage.name.rawValue, context: span.context, ofKind: server == nil ? .internal : .client,
                at: instant(stage.start))
            if let server {
                child.attributes["http.request.method"] = "GET"
                child.attributes["url.full"] = address
                child.attributes["server.address"] = server.host
                child.attributes["server.port"] = server.port
                if downloads > 0 { child.attributes["http.request.resend_count"] = downloads }
                if case .downloadFinished(let bytes) = event.kind {
                    child.attributes["http.response.body.size"] = bytes
                }
            }
            if !stage.isComplete { fail(child, event.kind) }
            child.end(at: instant(stage.end))
        }

        private func note(_ name: String, _ attributes: [String: SpanAttribute], _ event: ImageLoadEvent) {
            span.addEvent(
                SpanEvent(name: name, at: instant(event.elapsed), attributes: SpanAttributes(attributes)))
        }

        /// What was cancelled has a type, and is no error.
        private func fail(_ span: any Span, _ kind: ImageLoadEvent.Kind) {
            span.attributes["error.type"] = kind.errorType
            if kind != .cancelled { span.setStatus(SpanStatus(code: .error)) }
        }

        private func instant(_ elapsed: Duration) -> Instant {
            Instant(nanosecondsSinceEpoch: start + UInt64(max(0, elapsed.seconds) * 1e9))
        }
    }

    /// A time of a span.
    private struct Instant: TracerInstant {
        let nanosecondsSinceEpoch: UInt64

        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
    }

    extension ImageLoadEvent.Kind {
        /// The type of the failure that the event tells, or that it implies for an attempt before it.
        fileprivate var errorType: String {
            switch self {
            case .failed(let error): error.type
            case .cancelled: ImageError.cancelled.type
            case .diskMiss(.notAnImage): "not_an_image"
            default: "_OTHER"
            }
        }
    }

    extension URL {
        /// The server of an HTTP URL.
        fileprivate var serverAddress: (host: String, port: Int)? {
            guard let scheme = scheme?.lowercased(), let host = host(), scheme == "http" || scheme == "https"
            else { return nil }
            return (host, port ?? (scheme == "http" ? 80 : 443))
        }
    }
#endif
