import Foundation
import ImageServerKit
import ImageServing
import Testing

@Suite struct MetricsPortTests {
    @Test("serves metrics at a port of their own if one is set, and only there")
    func ownPort() async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        try await withServer(["--metrics-port", "0"], onMetricsRunning: { port.yield($0) }) { server in
            let number = try #require(await ports.first { _ in true })
            #expect(number != server.port)
            #expect(try await server.status("/metrics") == 404)
            let metrics = try await server.send("/metrics", port: number)
            #expect(metrics.status == 200)
            #expect(String(bytes: metrics.body, encoding: .utf8)?.contains("# HELP image_responses_total ") == true)
            #expect(try await server.send("/health", port: number).status == 404)
        }
    }
}
