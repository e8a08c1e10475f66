import Foundation
import HTTPTypes
import ImageServerKit
import ImageServing
import Logging
import Testing

@Suite struct MetricsPortTests {
    @Test("serves metrics at a port of their own if one is set, and no page beside the images unless it is named")
    func ownPort() async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        try await withServer(["--metrics-port", "0", "--pages", ""], onMetricsRunning: { port.yield($0) }) { server in
            let number = try #require(await ports.first { _ in true })
            #expect(number != server.port)
            for path in ["/metrics", "/"] { #expect(try await server.status(path) == 404) }
            let metrics = try await server.send("/metrics", port: number)
            #expect(metrics.status == 200)
            #expect(String(bytes: metrics.body, encoding: .utf8)?.contains("# HELP image_responses_total ") == true)
            #expect(try await server.send("/health", port: number).status == 404)
            #expect(try await server.send("/metrics", .post, port: number).status == 404)
        }
    }

    @Test(
        "a port in use is an error at start", .timeLimit(.minutes(10)),
        arguments: [["--port"], ["--port", "0", "--metrics-port"]])
    func portInUse(flags: [String]) async throws {
        try await withServer { other in
            let arguments = ["--allow-unsigned", "true"] + flags + ["\(other.port)"]
            let settings = try await ServerSettings(arguments: arguments, environment: [:], coreCount: 2)
            let server = try ImageServer(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let failure = await #expect(throws: ListeningFailure.self) { try await server.run() }
            #expect(failure?.description == "can't listen at 127.0.0.1:\(other.port): Address already in use")
        }
    }
}
