import CommandRunning
import Foundation
import HTTPTypes
import LoopbackServer
import Testing

/// The metrics, read by the parser of Prometheus' client for Python. `Scripts/bootstrap --for-tests` installs it.
@Suite("Metrics of a running server", .timeLimit(.minutes(5)))
struct OpenMetricsTests {
    private static let printNames = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(sys.stdin.read()):
            if family.samples: print(family.name, family.type)
        """

    @Test("are valid OpenMetrics for a client that accepts it")
    func validity() async throws {
        let source = try Samples.jpeg()
        let origin = try LoopbackServer { $0.target == "/a.jpg" ? .ok(source) : .notFound }
        try await withServer(origin: origin) { server async throws in
            for name in ["/a.jpg", "/a.jpg", "/b.jpg"] {
                _ = try await server.send(imagePath("rs:fit:16:16", origin.url(name)))
            }
            let metrics = try await server.send("/metrics", .get, [.accept: "application/openmetrics-text"])
            #expect(metrics.headers[.contentType]?.hasPrefix("application/openmetrics-text; version=1.0.0") == true)

            let parsed = try await CommandResult.run(
                "/usr/bin/python3", ["-c", Self.printNames], input: metrics.body)

            try #require(parsed.status == 0, "\(String(decoding: parsed.errors, as: UTF8.self))")
            let families = String(decoding: parsed.output, as: UTF8.self).split(separator: "\n")
            #expect(families.contains("image_responses counter"))
            #expect(families.contains("image_loader_request_duration_seconds histogram"))
            #expect(families.contains { $0.hasSuffix(" gauge") })
        }
    }
}
