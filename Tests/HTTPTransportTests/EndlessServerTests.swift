import CommandRunning
import Foundation
import HTTPTransports
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Servers that send without an end", .timeLimit(.minutes(10)))
struct EndlessServerTests {
    struct Endless: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let start: String
        let repeated: String
        /// What the failure may be; the transports notice it in different places.
        let kinds: Set<String?>
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let filler = String(repeating: "a", count: 1_000)

    private static let heads = [
        Endless(
            testDescription: "a trailer line", start: chunked + "1\r\nx\r\n0\r\nX: ", repeated: filler,
            kinds: ["headTooLarge", "malformedResponse", "closedEarly"]),
        Endless(
            testDescription: "trailer lines", start: chunked + "1\r\nx\r\n0\r\n", repeated: "X: \(filler)\r\n",
            kinds: ["headTooLarge"]),
        Endless(
            testDescription: "a header line", start: "HTTP/1.1 200 OK\r\nX: ", repeated: filler,
            kinds: ["headTooLarge"]),
        Endless(
            testDescription: "header lines", start: "HTTP/1.1 200 OK\r\n", repeated: "X: \(filler)\r\n",
            kinds: ["headTooLarge"]),
        Endless(
            testDescription: "folded header lines", start: "HTTP/1.1 200 OK\r\nX: a\r\n", repeated: " \(filler)\r\n",
            kinds: ["headTooLarge", "malformedResponse"]),
        Endless(
            testDescription: "informational responses", start: "",
            repeated: "HTTP/1.1 103 Early Hints\r\nX: \(filler)\r\n\r\n", kinds: ["headTooLarge"]),
        Endless(
            testDescription: "a reason phrase", start: "HTTP/1.1 200 ", repeated: filler,
            kinds: ["headTooLarge", "malformedResponse"]),
        Endless(
            testDescription: "a chunk extension", start: chunked + "1;", repeated: filler,
            kinds: ["timedOut", "malformedResponse", "headTooLarge"]),
        Endless(
            testDescription: "a chunk size", start: chunked, repeated: String(repeating: "0", count: 1_000),
            kinds: ["malformedResponse", "headTooLarge"]),
    ]

    @Test("the transfer fails", arguments: HTTPTransport.allCases, heads)
    func fails(_ http: HTTPTransport, _ endless: Endless) async throws {
        let server = try LoopbackServer { _ in
            let bytes = LoopbackStep.text(String(repeating: endless.repeated, count: 4_000))
            return .steps([.text(endless.start), bytes, .awaitDisconnect])
        }
        // On a busy machine, half a second can pass without a byte.
        let stall = endless.kinds.contains("timedOut") ? Duration.milliseconds(500) : .seconds(60)
        var request = TransportRequest(url: server.url(), stallTimeout: stall)
        request.totalTimeout = .seconds(120)
        let found = await failure(http.make(), request)
        #expect(endless.kinds.contains(found?.kind) && found != .timedOut(.total), "\(String(describing: found))")
    }

    @Test(
        "a compressed body is decoded no further ahead of its reader than the buffer",
        arguments: HTTPTransport.allCases,
        [1, 2])
    func compressed(_ http: HTTPTransport, _ codings: Int) async throws {
        let size = 40 << 20
        var packed = Data(count: size)
        for _ in 0..<codings {
            let result = try await CommandResult.run("/usr/bin/gzip", ["-9c"], input: packed)
            packed = result.output
        }
        let body = packed
        let names = Array(repeating: "gzip", count: codings).joined(separator: ", ")
        let server = try LoopbackServer { _ in .ok(body, headers: ["Content-Encoding": names]) }
        let response = try await http.make().send(TransportRequest(url: server.url()))
        await server.completions(1)
        var (total, largest) = (0, 0)
        for try await piece in response.body {
            total += piece.count
            largest = max(largest, piece.count)
        }
        #expect(total == size)
        #expect(largest <= 384 << 10)
    }
}
