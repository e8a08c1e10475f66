#if Observability
    import Foundation
    import ImageCore
    import ImageObserving
    import ImageTesting
    import InMemoryLogging
    import InMemoryTracing
    import Logging
    import MetricsTestKit
    import Testing
    import Tracing

    @Suite("What each event writes")
    struct InstrumentationEventTests {
        private let tracer = InMemoryTracer()
        private let metrics = TestMetrics()
        private let messages = InMemoryLogHandler()

        private func logger(_ level: Logger.Level = .trace) -> Logger {
            var logger = Logger(label: "images", factory: { [messages] _ in messages })
            logger.logLevel = level
            return logger
        }

        /// Passes events to an observer, a second after each other.
        private func handle(
            _ kinds: ImageLoadEvent.Kind..., url: String = "https://images.example/a?b",
            by observer: LoaderInstrumentation
        ) {
            for (second, kind) in kinds.enumerated() {
                observer.handle(
                    ImageLoadEvent(requestID: 7, url: URL(string: url), kind: kind, elapsed: .seconds(second)))
            }
        }

        private func spans(_ name: String) -> [FinishedInMemorySpan] {
            tracer.finishedSpans.filter { $0.operationName == name }
        }

        @Test("misses and waits are events of the request's span, at their times")
        func notes() throws {
            let observer = LoaderInstrumentation(tracer: tracer, now: { Date(timeIntervalSince1970: 100) })
            handle(
                .started, .memoryMiss(.absent), .diskMiss(.stale), .deferred, .waitingForNetwork, .failed(.offline),
                by: observer)
            let request = try #require(spans("image request").first)
            #expect(
                request.events.map(\.name)
                    == ["memory cache miss", "disk cache miss", "deferred", "waiting for a network"])
            #expect(
                request.events.map { $0.attributes.get("reason") }
                    == [.string(CacheMiss.absent.rawValue), .string(CacheMiss.stale.rawValue), nil, nil])
            #expect(
                request.events.map(\.nanosecondsSinceEpoch) == [
                    101_000_000_000, 102_000_000_000, 103_000_000_000, 104_000_000_000,
                ])
            #expect(request.attributes.get("error.type") == "offline")
        }

        @Test("stored bytes that are no image are the failure of a decoding, not of its request")
        func notAnImage() throws {
            let observer = LoaderInstrumentation(tracer: tracer, now: { Date(timeIntervalSince1970: 0) })
            handle(
                .started, .diskHit(bytes: 1), .decodingStarted, .diskMiss(.notAnImage), .downloadStarted,
                .downloadFinished(bytes: 1), .succeeded(.network), by: observer)
            #expect(spans("decode").map { $0.attributes.get("error.type") } == ["not_an_image"])
            #expect(spans("decode").map(\.status?.code) == [.error])
            #expect(spans("image request").map(\.status?.code) == [nil])
            #expect(spans("decode").map(\.kind) == [.internal])
            #expect(spans("decode").map(\.startInstant.nanosecondsSinceEpoch) == [2_000_000_000])
        }

        @Test("a download that is cancelled is no error, and has the type")
        func cancelledDownload() throws {
            let observer = LoaderInstrumentation(tracer: tracer, now: { .distantPast })
            handle(.started, .downloadStarted, .cancelled, by: observer)
            let download = try #require(spans("download").first)
            #expect(download.status == nil)
            #expect(download.attributes.get("error.type") == "cancelled")
        }

        @Test("only downloads over HTTP have a server, with the port of the URL")
        func servers() throws {
            let observer = LoaderInstrumentation(tracer: tracer, now: { .distantPast })
            let urls = ["HTTPS://images.example:8443/a", "http://images.example/a", "photos://album/a"]
            for url in urls {
                handle(
                    .started, .downloadStarted, .downloadFinished(bytes: 1), .succeeded(.network), url: url,
                    by: observer)
            }
            let downloads = spans("download")
            #expect(downloads.map(\.kind) == [.client, .client, .internal])
            #expect(downloads.map { $0.attributes.get("server.port") } == [8_443, 80, nil])
            #expect(downloads.map { $0.attributes.get("http.request.method") } == ["GET", "GET", nil])
            #expect(spans("image request").map(\.kind) == [.internal, .internal, .internal])
        }

        @Test("spans before 1970 start then")
        func distantPast() {
            let observer = LoaderInstrumentation(tracer: tracer, now: { .distantPast })
            handle(.started, .succeeded(.memory), by: observer)
            #expect(spans("image request").map(\.startInstant.nanosecondsSinceEpoch) == [0])
        }

        @Test("the application decides the text of URLs, in spans without a logger too, and in messages on one line")
        func address() throws {
            let spanned = LoaderInstrumentation(tracer: tracer, address: { "A \($0.path())" }, now: { .distantPast })
            handle(.started, .succeeded(.memory), by: spanned)
            #expect(spans("image request").map { $0.attributes.get("url.full") } == ["A /a"])
            let logged = LoaderInstrumentation(logger: logger(), address: { _ in "a\nb" }, now: { .distantPast })
            handle(.started, by: logged)
            #expect(messages.entries.map { $0.metadata["url.full"] } == ["a?b"])
        }

        @Test("messages have the request, its time, and the time of the stage that has ended")
        func metadata() throws {
            let observer = LoaderInstrumentation(logger: logger(), now: { .distantPast })
            handle(
                .started, .memoryMiss(.absent), .diskHit(bytes: 1), .decodingStarted, .succeeded(.disk), by: observer)
            let last = try #require(messages.entries.last)
            #expect(last.message == "image request succeeded")
            #expect(last.level == .debug)
            #expect(last.metadata["request"]?.description == "7")
            #expect(last.metadata["ms"]?.description == "4000.0")
            #expect(last.metadata["decode.ms"]?.description == "1000.0")
            #expect(last.metadata["source"] == "disk")
            #expect(last.metadata["url.full"] == "https://images.example/a")
            #expect(messages.entries.dropLast().allSatisfy { $0.level == .trace })
        }

        @Test("messages below the level of the logger are not written, and their address is not asked for")
        func levels() {
            let observer = LoaderInstrumentation(
                logger: logger(.warning),
                address: { url in
                    Issue.record("\(url)")
                    return ""
                }, now: { .distantPast })
            handle(.started, .memoryHit, .succeeded(.memory), by: observer)
            #expect(messages.entries.isEmpty)
        }

        @Test("another failure of the disk cache is written")
        func otherDiskFailure() {
            let observer = LoaderInstrumentation(logger: logger(), now: { .distantPast })
            for failure: DataCacheError in [.noSpace, .io("a\nb"), .noSpace] {
                observer.handle(ImageLoadEvent(requestID: nil, url: nil, kind: .diskFailed(failure)))
            }
            #expect(messages.entries.map(\.level) == [.warning, .warning, .warning])
            #expect(messages.entries.allSatisfy { $0.metadata["error"]?.description.contains("\n") == false })
        }

        @Test("without a tracer, messages keep the context of the caller")
        func context() {
            var logger = logger()
            logger.handler.metadataProvider = Logger.MetadataProvider {
                ["trace": .string(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")]
            }
            let observer = LoaderInstrumentation(logger: logger, now: { .distantPast })
            tracer.withSpan("page") { _ in handle(.started, by: observer) }
            #expect(messages.entries.map { $0.metadata["trace"] } == ["trace-1"])
        }

        @Test("the metric of a stage is its own time, of a request that of the whole, and requests are counted")
        func durations() throws {
            let observer = LoaderInstrumentation(metrics: metrics, now: { .distantPast })
            handle(
                .started, .diskHit(bytes: 1), .decodingStarted, .decoded(PixelSize(width: 1, height: 1)), by: observer)
            let meter = try metrics.expectMeter("image_loader_requests_in_progress")
            #expect(meter.lastValue == 1)
            let decode = try metrics.expectTimer("image_loader_stage_duration_seconds", [("stage", "decode")])
            #expect(decode.values == [1_000_000_000])
            handle(.succeeded(.disk), by: observer)
            #expect(meter.lastValue == 0)
        }

        @Test("a process that can't protect its decoders is counted")
        func unprotected() throws {
            let observer = LoaderInstrumentation(metrics: metrics, now: { .distantPast })
            observer.handle(ImageLoadEvent(requestID: nil, url: nil, kind: .worker(.unprotected("no seccomp"))))
            let label = [("event", "unprotected")]
            #expect(try metrics.expectCounter("image_loader_worker_events_total", label).totalValue == 1)
        }

        @Test("an observer without loggers passes all events on, those of no request too")
        func next() {
            let recorded = RecordingObserver()
            let observer = LoaderInstrumentation(next: recorded, now: { .distantPast })
            for id: UInt64? in [1, nil] {
                observer.handle(ImageLoadEvent(requestID: id, url: nil, kind: .storedInMemory))
            }
            #expect(recorded.events.map(\.requestID) == [1, nil])
        }

        @Test("applications can write URLs and texts without their secrets")
        func redacted() throws {
            let url = try #require(URL(string: "https://user:pass@images.example/a?token=1"))
            #expect(LoaderInstrumentation.redacted(url) == "https://images.example/a")
            #expect(
                LoaderInstrumentation.redacted("can't  load \(url) now") == "can't  load https://images.example/a now")
        }
    }
#endif
