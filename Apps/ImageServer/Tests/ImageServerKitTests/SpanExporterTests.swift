import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Logging
import Testing
import Tracing

@testable import ImageServerKit

@Suite(.timeLimit(.minutes(5))) struct SpanExporterTests {
    private let transport = ScriptedTransport()
    private let clock = ManualClock()
    private let metrics = PrometheusMetrics()
    private let exporter: SpanExporter
    private let tracer: ServerTracer
    private let url: URL

    init() throws {
        url = try #require(URL(string: "http://collector.example:4318/v1/traces"))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let collector = Collector(headers: [.authorization: "Bearer x"], service: "thumbnails")
        exporter = SpanExporter(
            CollectorClient(.spans, at: url, of: collector, over: transport, logger: logger), metrics: metrics,
            logger: logger, clock: clock)
        tracer = ServerTracer(
            sampleRatio: 1, now: { Date(timeIntervalSince1970: 1_700_000_000) },
            receive: { [exporter] in exporter.add($0) })
    }

    private func script(_ statuses: HTTPResponse.Status...) {
        transport.script(url, statuses.map { .status($0) })
    }

    private func addSpans(_ count: Int, named name: String = "span") {
        for _ in 0..<count {
            tracer.startSpan(name, context: .topLevel, at: SpanTime(nanosecondsSinceEpoch: 1)).end()
        }
    }

    private func count(_ name: String) -> Int? {
        let line = metrics.text(.text).split(separator: "\n").first { $0.hasPrefix("image_spans_\(name)_total ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    /// The numbers of spans in the requests.
    private var sent: [Int] {
        get throws { try transport.requests.map { try Document($0).spans.count } }
    }

    @Test("a span has the members of OTLP's JSON")
    func document() async throws {
        script(.ok)
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        var context = ServiceContext.topLevel
        context.trace = TraceContext([.traceparent: parent, .tracestate: "a=b"])
        let span = tracer.startSpan(
            "GET", context: context, ofKind: .server, at: SpanTime(nanosecondsSinceEpoch: 1_700_000_000_000_000_001))
        span.attributes["http.response.status_code"] = 200
        span.attributes["url.path"] = "/a"
        span.attributes["share"] = 0.5
        span.attributes["is.cached"] = true
        span.addEvent(SpanEvent(name: "miss", at: SpanTime(nanosecondsSinceEpoch: 5), attributes: ["reason": "stale"]))
        span.setStatus(SpanStatus(code: .error))
        span.end(at: SpanTime(nanosecondsSinceEpoch: 1_700_000_000_000_000_003))
        await exporter.finish()
        let request = try #require(transport.requests.first)
        #expect(request.method == .post && request.headers[.contentType] == "application/json")
        #expect(request.headers[.authorization] == "Bearer x" && !request.followsRedirects)
        let document = try Document(request)
        #expect(document.service == "thumbnails")
        let record = try #require(document.spans.first)
        #expect(record["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(record["parentSpanId"] as? String == "00f067aa0ba902b7")
        #expect((record["spanId"] as? String)?.count == 16 && record["traceState"] as? String == "a=b")
        #expect(record["name"] as? String == "GET" && record["kind"] as? Int == 2)
        #expect(record["startTimeUnixNano"] as? String == "1700000000000000001")
        #expect(record["endTimeUnixNano"] as? String == "1700000000000000003")
        #expect((record["status"] as? [String: Int]) == ["code": 2])
        let attributes = try #require(record["attributes"] as? [[String: Any]])
        let texts = attributes.map { "\($0["key"] ?? "") \($0["value"] ?? "")" }
        #expect(
            texts == [
                #"http.response.status_code ["intValue": "200"]"#, #"is.cached ["boolValue": 1]"#,
                #"share ["doubleValue": 0.5]"#, #"url.path ["stringValue": "/a"]"#,
            ])
        let event = try #require((record["events"] as? [[String: Any]])?.first)
        #expect(event["name"] as? String == "miss" && event["timeUnixNano"] as? String == "5")
    }

    @Test("spans are sent each second in batches, without waiting for the end")
    func batches() async throws {
        script(.ok)
        addSpans(SpanExporter.batchLimit + 1)
        let running = Task { await exporter.run() }
        await clock.waitForSleepers(1)
        #expect(transport.requests.isEmpty)
        clock.advance(by: .seconds(1))
        await transport.waitForSends(2)
        await clock.waitForSleepers(1)
        running.cancel()
        await running.value
        #expect(try sent == [SpanExporter.batchLimit, 1])
        #expect(count("exported") == SpanExporter.batchLimit + 1 && count("dropped") == 0)
    }

    @Test("spans beyond the limit of the queue are dropped and counted")
    func limit() {
        addSpans(SpanExporter.queueLimit + 3)
        #expect(count("dropped") == 3)
    }

    @Test(
        "a batch waits while the collector is unavailable, and is dropped if it is refused", arguments: [503, 429, 400])
    func failures(status: Int) async throws {
        script(HTTPResponse.Status(code: status), .ok)
        addSpans(2)
        let running = Task { await exporter.run() }
        for number in 1...2 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            if status != 400 { await transport.waitForSends(number) }
        }
        await clock.waitForSleepers(1)
        running.cancel()
        await running.value
        #expect(try sent == (status == 400 ? [2] : [2, 2]))
        #expect(count("exported") == (status == 400 ? 0 : 2) && count("dropped") == (status == 400 ? 2 : 0))
    }

    @Test("spans that wait for the collector keep their order")
    func order() async throws {
        script(.serviceUnavailable, .ok, .ok)
        addSpans(SpanExporter.batchLimit)
        addSpans(1, named: "late")
        let running = Task { await exporter.run() }
        for sends in [1, 3] {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            await transport.waitForSends(sends)
        }
        await clock.waitForSleepers(1)
        running.cancel()
        await running.value
        #expect(try sent == [SpanExporter.batchLimit, SpanExporter.batchLimit, 1])
        #expect(try Document(try #require(transport.requests.last)).spans.first?["name"] as? String == "late")
    }

    @Test("what a collector that is down can't receive at the end is dropped")
    func end() async throws {
        transport.script(url, .refused)
        addSpans(5)
        await exporter.finish()
        #expect(count("dropped") == 5 && count("exported") == 0)
    }

    @Test("a span has failed with a status from 500 or a failure, but not with a cancellation")
    func failedSpans() async {
        let spans = TestLog<FinishedSpan>()
        let tracer = ServerTracer(sampleRatio: 1, now: { Date() }, receive: { spans.append($0) })
        let request = ServerRequest(method: .get, target: "/")
        for status in [404, 499, 500, 503] {
            tracer.end(tracer.start(request), request, ServerResponse(status: status))
        }
        for failure in [ServiceFailure.cancelled, .timedOut] {
            await #expect(throws: ServiceFailure.self) {
                try await tracer.traced("source", in: TraceContext(isSampled: true)) { _ -> Void in throw failure }
            }
        }
        #expect(spans.messages.map(\.isFailed) == [false, false, true, true, false, true])
    }

    @Test("long texts in spans are cut, so that their memory is bounded")
    func longTexts() async throws {
        script(.ok)
        let span = tracer.startSpan("GET", context: .topLevel, at: SpanTime(nanosecondsSinceEpoch: 1))
        span.attributes["url.path"] = String(repeating: "é", count: 70_000)
        span.attributes["short"] = String(repeating: "x", count: 1_000)
        span.end()
        await exporter.finish()
        let request = try #require(transport.requests.first)
        let record = try #require(try Document(request).spans.first)
        let texts = (record["attributes"] as? [[String: Any]] ?? []).map { pair in
            (pair["value"] as? [String: Any])?["stringValue"] as? String ?? ""
        }
        #expect(texts.map(\.utf8.count).max() == SpanAttributes.textLimit && texts[0].count == 1_000)
        #expect(texts[1].hasPrefix("ééé") && texts[1].hasSuffix("é…"))
    }

    @Test("a client decides about its own trace only if it is trusted", arguments: [true, false])
    func clients(isTrusted: Bool) {
        for (flags, ratio) in [("01", 0.0), ("00", 1)] {
            let tracer = ServerTracer(
                sampleRatio: ratio, trustsParents: isTrusted, now: { Date() },
                receive: { [exporter] in exporter.add($0) })
            var request = ServerRequest(method: .get, target: "/")
            request.headers[.traceparent] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
            let span = tracer.start(request)
            #expect(span.isRecording == (isTrusted ? flags == "01" : ratio == 1))
            #expect(span.trace.isSampled == span.isRecording && span.trace.traceID.hasPrefix("4bf92f"))
        }
    }

    @Test("only sampled traces are recorded: children as their parents, and the ratio for new ones")
    func sampling() async throws {
        let none = ServerTracer(sampleRatio: 0, now: { Date() }, receive: { [exporter] in exporter.add($0) })
        none.startSpan("new", context: .topLevel, at: SpanTime(nanosecondsSinceEpoch: 1)).end()
        for (flags, tracer) in [("00", tracer), ("01", none)] {
            var context = ServiceContext.topLevel
            context.trace = TraceContext([
                .traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
            ])
            let span = tracer.startSpan(flags, context: context, at: SpanTime(nanosecondsSinceEpoch: 1))
            #expect(span.isRecording == (flags == "01"))
            span.end()
        }
        script(.ok)
        await exporter.finish()
        #expect(try Document(try #require(transport.requests.first)).spans.map { $0["name"] as? String } == ["01"])
    }

    @Test("passes contexts on in W3C Trace Context")
    func propagation() {
        struct Fields: Injector, Extractor {
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
            func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        }
        let fields = ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "a=b"]
        var context = ServiceContext.topLevel
        tracer.extract(fields, into: &context, using: Fields())
        var copy: [String: String] = [:]
        tracer.inject(context, into: &copy, using: Fields())
        #expect(copy == fields)
    }
}

/// The spans of a request to a collector.
private struct Document {
    var spans: [[String: Any]]
    var service: String?

    init(_ request: TransportRequest) throws {
        let object = try JSONSerialization.jsonObject(with: try #require(request.body)) as? [String: Any]
        let resource = try #require((object?["resourceSpans"] as? [[String: Any]])?.first)
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        spans = try #require(scope["spans"] as? [[String: Any]])
        let attributes = (resource["resource"] as? [String: Any])?["attributes"] as? [[String: Any]]
        let name = attributes?.first { $0["key"] as? String == "service.name" }
        service = (name?["value"] as? [String: Any])?["stringValue"] as? String
    }
}
