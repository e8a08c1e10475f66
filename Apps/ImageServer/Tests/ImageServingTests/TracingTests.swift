import Foundation
import HTTPTypes
import ImageCore
import LoopbackServer
import Testing

@testable import ImageServing

@Suite("Traces and metrics at a collector", .timeLimit(.minutes(5)))
struct TracingTests {
    private struct Span {
        let name, id: String
        let parent: String?
        let trace: String
        let attributes: [String: String]

        init(_ object: [String: Any]) throws {
            name = try #require(object["name"] as? String)
            id = try #require(object["spanId"] as? String)
            parent = object["parentSpanId"] as? String
            trace = try #require(object["traceId"] as? String)
            let pairs = try (object["attributes"] as? [[String: Any]] ?? []).map { pair in
                let value = try #require(pair["value"] as? [String: Any]).values.first
                return (try #require(pair["key"] as? String), "\(value ?? "")")
            }
            attributes = Dictionary(pairs) { first, _ in first }
        }
    }

    private func spans(at collector: LoopbackServer) throws -> [Span] {
        try collector.log.flatMap { request in
            let object = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
            let resources = object?["resourceSpans"] as? [[String: Any]] ?? []
            let scopes = resources.flatMap { $0["scopeSpans"] as? [[String: Any]] ?? [] }
            return try scopes.flatMap { try ($0["spans"] as? [[String: Any]] ?? []).map(Span.init) }
        }
    }

    @Test("a request is one trace from the caller to the origin, which has reached the collector when the server ends")
    func trace() async throws {
        let collector = try LoopbackServer { _ in .ok("{}".utf8) }
        let origin = try Samples.origin()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let settings = ["--otlp-endpoint", collector.url("/prefix").absoluteString, "--otlp-headers", "api-key=a%20b"]
        try await withServer(settings, origin: origin) { server async throws in
            let path = imagePath("w:4", origin.url("/a.jpg?token=1"))
            let fields: HTTPFields = [.traceparent: "00-\(trace)-00f067aa0ba902b7-01"]
            #expect(try await server.send(path, .get, fields).status == 200)
            #expect(try await server.status("/_/nope") == 404)
        }
        #expect(Set(collector.log.map(\.path)) == ["/prefix/v1/traces", "/prefix/v1/metrics"])
        #expect(collector.log.allSatisfy { $0.headers["api-key"] == "a b" })
        let all = try spans(at: collector)
        #expect(all.allSatisfy { span in span.attributes.values.allSatisfy { !$0.contains("token") } })
        let spans = all.filter { $0.trace == trace }
        func span(_ name: String, in parent: Span?) throws -> Span {
            try #require(spans.first { $0.name == name && $0.parent == parent?.id ?? "00f067aa0ba902b7" }, "\(name)")
        }
        let request = try span("GET", in: nil)
        #expect(request.attributes["http.response.status_code"] == "200")
        #expect(request.attributes["image.cache"] == "origin")
        _ = try span("lookup", in: request)
        let source2 = try span("source", in: request)
        let load = try span("image request", in: source2)
        let download = try span("download", in: load)
        #expect(download.attributes["server.port"] == "\(origin.port)")
        _ = try span("queue", in: load)
        let render = try span("render", in: request)
        for name in ["decode", "process", "encode"] { _ = try span(name, in: render) }
        #expect(origin.log.first?.headers["traceparent"] == "00-\(trace)-\(source2.id)-01")
    }

    @Test("metrics reach the collector while the server runs and when it ends, whatever happens to spans")
    func metrics() async throws {
        let collector = try LoopbackServer { request in request.path == "/v1/metrics" ? .ok("{}".utf8) : .notFound }
        let origin = try Samples.origin()
        let settings = ["--otlp-endpoint", collector.url("").absoluteString, "--otlp-metrics-seconds", "0.1"]
        try await withServer(settings, origin: origin) { server async throws in
            while !collector.log.contains(where: { $0.path == "/v1/metrics" }) {
                #expect(try await server.status("/health") == 200)
            }
            #expect(try await server.status(imagePath("w:4", origin.url("/a.jpg"))) == 200)
        }
        let last = try #require(collector.log.last { $0.path == "/v1/metrics" })
        let text = String(decoding: last.body, as: UTF8.self)
        #expect(text.hasPrefix("{\"resourceMetrics\":") && text.contains("\"image_renderings_total\""))
        #expect(text.contains("\"process_resident_memory_bytes\""))
        // For a look at the document with other tools, such as those of OpenTelemetry.
        if let path = ProcessInfo.processInfo.environment["OTLP_METRICS_FILE"] {
            try Data(last.body).write(to: URL(filePath: path))
        }
    }

    @Test("a collector that never answers delays no request, and what it doesn't receive is counted")
    func stalledCollector() async throws {
        let collector = try LoopbackServer { _ in .steps([.awaitDisconnect]) }
        let origin = try Samples.origin()
        try await withServer(["--otlp-endpoint", collector.url("").absoluteString], origin: origin) {
            server async throws in
            for width in 1...3 {
                #expect(try await server.status(imagePath("w:\(width)", origin.url("/a.jpg"))) == 200)
            }
            let metrics = try await server.send("/metrics")
            let text = String(decoding: metrics.body, as: UTF8.self)
            #expect(text.contains("\nimage_spans_exported_total 0\n"))
            #expect(text.contains("\nimage_loader_request_duration_seconds_count{outcome=\"network\"} 3\n"))
        }
    }
}
