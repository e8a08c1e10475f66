#if Observability
    import Foundation
    import HTTPTypes
    import ImageCore
    import ImageLoading
    import ImageObserving
    import ImageTesting
    import InMemoryLogging
    import InMemoryTracing
    import Logging
    import MetricsTestKit
    import Testing
    import Tracing

    @Suite("Instrumentation of a loader", .timeLimit(.minutes(10)))
    struct LoaderInstrumentationTests {
        private let tracer = InMemoryTracer()
        private let metrics = TestMetrics()
        private let messages = InMemoryLogHandler()
        private let bed: LoaderTestBed
        private static let secret = "user:se@cret"

        init() {
            var logger = Logger(label: "images", factory: { [messages] _ in messages })
            logger.logLevel = .trace
            let observer = LoaderInstrumentation(
                logger: logger, metrics: metrics, tracer: tracer, now: { Date(timeIntervalSince1970: 1_000) })
            bed = LoaderTestBed { $0.observer = observer }
        }

        private func span(_ name: String) throws -> FinishedInMemorySpan {
            try #require(tracer.finishedSpans.first { $0.operationName == name })
        }

        private func attributes(_ name: String) throws -> [String: String] {
            var all: [String: String] = [:]
            try span(name).attributes.forEach { name, value in
                switch value {
                case .string(let text): all[name] = text
                case .int64(let number): all[name] = "\(number)"
                default: all[name] = "\(value)"
                }
            }
            return all
        }

        /// Loads an image whose download takes three seconds.
        private func load(_ name: String) async throws {
            let gate = TestGate()
            let request = bed.request(name, behind: gate)
            let task = Task { try await bed.loader.image(for: request) }
            await gate.waitForArrivals(1)
            bed.clock.advance(by: .seconds(3))
            gate.open()
            _ = try await task.value
        }

        @Test("a request is a child of the caller's span, with a child for each of its stages")
        func spans() async throws {
            try await tracer.withSpan("page") { _ in try await load("a.jpg?token=1") }
            #expect(
                tracer.finishedSpans.map(\.operationName)
                    == ["lookup", "queue", "download", "queue", "decode", "image request", "page"])
            let (page, request, download) = (try span("page"), try span("image request"), try span("download"))
            #expect(request.parentSpanID == page.spanID && download.parentSpanID == request.spanID)
            #expect(tracer.finishedSpans.allSatisfy { $0.traceID == page.traceID })
            #expect(tracer.activeSpans.isEmpty)
            #expect(download.startInstant.nanosecondsSinceEpoch == 1_000_000_000_000)
            #expect(download.endInstant.nanosecondsSinceEpoch == 1_003_000_000_000)
            #expect(request.endInstant.nanosecondsSinceEpoch == 1_003_000_000_000)
            #expect(request.status == nil && download.kind == .client)
        }

        @Test("attributes are those of OpenTelemetry's conventions, and the query is left out")
        func attributes() async throws {
            try await load("a.jpg?token=1")
            #expect(
                try attributes("download") == [
                    "http.request.method": "GET", "url.full": "http://images.example/a.jpg",
                    "server.address": "images.example", "server.port": "80",
                    "http.response.body.size": "\(LoaderTestBed.file(width: 4).count)",
                ])
            #expect(
                try attributes("image request") == [
                    "url.full": "http://images.example/a.jpg", "image.source": "network",
                ])
        }

        @Test("a failure is the status of the spans, a warning, and a metric with few labels")
        func failure() async throws {
            let request = bed.request("a.jpg?token=1", [.status(503)])
            await #expect(throws: ImageError.httpStatus(503)) { try await bed.loader.image(for: request) }
            for name in ["download", "image request"] {
                #expect(try span(name).status?.code == .error)
                #expect(try attributes(name)["error.type"] == "503")
            }
            #expect(try metrics.expectCounter("image_loader_failures_total", [("error_type", "5xx")]).totalValue == 1)
            let warnings = messages.entries.filter { $0.level == .warning }
            #expect(warnings.count == 1 && warnings.first?.metadata["error.type"] == "503")
            #expect(messages.entries.allSatisfy { !"\($0)".contains("token") })
        }

        @Test("each attempt of a download is a span, with the number of attempts before it")
        func retries() throws {
            let observer = LoaderInstrumentation(tracer: tracer, now: { .distantPast })
            let url = try #require(URL(string: "https://example.com/a.jpg"))
            for kind: ImageLoadEvent.Kind in [
                .started, .queued(.download), .downloadStarted, .queued(.download), .downloadStarted,
                .downloadFinished(bytes: 7), .succeeded(.network), .storedInMemory,
            ] {
                observer.handle(ImageLoadEvent(requestID: 1, url: url, kind: kind))
            }
            let downloads = tracer.finishedSpans.filter { $0.operationName == "download" }.map(\.attributes)
            #expect(downloads.count == 2)
            #expect(downloads.first?.get("error.type") == "_OTHER")
            #expect(downloads.first?.get("http.request.resend_count") == nil)
            #expect(downloads.last?.get("http.request.resend_count") == 1)
            #expect(downloads.last?.get("http.response.body.size") == 7)
            #expect(downloads.last?.get("server.port") == 443)
        }

        @Test("a cancelled request is neither an error nor a warning")
        func cancelled() async throws {
            let gate = TestGate()
            let request = bed.request("a.jpg", behind: gate)
            let task = Task { try await bed.loader.image(for: request) }
            await gate.waitForArrivals(1)
            task.cancel()
            await #expect(throws: ImageError.cancelled) { try await task.value }
            let last = try span("image request")
            #expect(last.status == nil && last.attributes.get("error.type") == .string("cancelled"))
            #expect(messages.entries.last?.level == .debug)
            #expect(
                try metrics.expectTimer("image_loader_request_duration_seconds", [("outcome", "cancelled")]).values
                    .count == 1)
        }

        @Test("durations, bytes and requests in progress are metrics")
        func metric() async throws {
            try await load("a.jpg")
            try await load("b.jpg")
            let requests = try metrics.expectTimer("image_loader_request_duration_seconds", [("outcome", "network")])
            #expect(requests.values == [3_000_000_000, 3_000_000_000])
            let downloads = try metrics.expectTimer("image_loader_stage_duration_seconds", [("stage", "download")])
            #expect(downloads.values == [3_000_000_000, 3_000_000_000])
            #expect(
                metrics.counterTotal(label: "image_loader_downloaded_bytes_total")
                    == Int64(LoaderTestBed.file(width: 4).count * 2))
            #expect(try metrics.expectMeter("image_loader_requests_in_progress").lastValue == 0)
            let success = try #require(messages.entries.first { $0.message == "image request succeeded" })
            #expect(success.metadata["source"] == "network")
        }

        @Test("bytes that requests share are counted apart from those that were downloaded")
        func sharedBytes() {
            let observer = LoaderInstrumentation(metrics: metrics, now: { .distantPast })
            for kind: ImageLoadEvent.Kind in [.started, .joined(bytes: 7), .downloadFinished(bytes: 5)] {
                observer.handle(ImageLoadEvent(requestID: 1, url: nil, kind: kind))
            }
            #expect(metrics.counterTotal(label: "image_loader_shared_bytes_total") == 7)
            #expect(metrics.counterTotal(label: "image_loader_downloaded_bytes_total") == 5)
        }

        @Test("a failure of the disk cache is written once, until something is stored")
        func diskFailures() {
            let observer = LoaderInstrumentation(
                logger: Logger(label: "images", factory: { [messages] _ in messages }), metrics: metrics,
                now: { .distantPast })
            func handle(_ kinds: ImageLoadEvent.Kind...) {
                for kind in kinds { observer.handle(ImageLoadEvent(requestID: nil, url: nil, kind: kind)) }
            }
            handle(.diskFailed(.noSpace), .diskFailed(.noSpace), .diskFailed(.noSpace))
            #expect(messages.entries.count == 1)
            handle(.storedOnDisk(bytes: 1), .diskFailed(.noSpace))
            #expect(messages.entries.count == 2)
            #expect(metrics.counterTotal(label: "image_loader_disk_failures_total") == 4)
        }

        @Test("what worker processes do is a warning, and counted by kind")
        func workers() throws {
            let observer = LoaderInstrumentation(
                logger: Logger(label: "images", factory: { [messages] _ in messages }), metrics: metrics,
                now: { .distantPast })
            for event: WorkerEvent in [.failed(.signal(11)), .callRefused("open\n"), .callRefused("stat")] {
                observer.handle(ImageLoadEvent(requestID: nil, url: nil, kind: .worker(event)))
            }
            #expect(messages.entries.map(\.level) == [.warning, .warning, .warning])
            #expect(messages.entries[1].metadata["event"]?.description.contains("\n") == false)
            for (kind, count) in [("failed", Int64(1)), ("call_refused", 2)] {
                let counter = try metrics.expectCounter("image_loader_worker_events_total", [("event", kind)])
                #expect(counter.values.reduce(0, +) == count)
            }
        }

        @Test("messages have the metadata of the request's span, and errors lose the secrets of URLs")
        func messagesInContext() {
            var logger = Logger(label: "images", factory: { [messages] _ in messages })
            logger.handler.metadataProvider = Logger.MetadataProvider {
                ["trace": .string(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")]
            }
            let recorded = RecordingObserver()
            let observer = LoaderInstrumentation(logger: logger, tracer: tracer, next: recorded, now: { .distantPast })
            let error = ImageError.invalidURL("http://\(Self.secret)@example.com/a?token=1")
            for kind: ImageLoadEvent.Kind in [.started, .failed(error)] {
                observer.handle(ImageLoadEvent(requestID: 7, url: nil, kind: kind))
            }
            let metadata = messages.entries.first?.metadata
            #expect(metadata?["trace"] == "trace-1")
            #expect(metadata?["error"] == "invalid URL: http://example.com/a")
            #expect(recorded.events.count == 2)
        }
    }
#endif
