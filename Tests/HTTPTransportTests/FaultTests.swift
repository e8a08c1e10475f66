import CommandRunning
import Foundation
import HTTPTransports
import HTTPTypes
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Network and server failures", .timeLimit(.minutes(10)))
struct FaultTests {
    private func failing(_ http: HTTPTransport, _ steps: [LoopbackStep], greeting: [LoopbackStep] = []) async throws
        -> TransportError?
    {
        let server = try LoopbackServer(greeting: greeting) { _ in .steps(steps) }
        return await failure(http.make(), TransportRequest(url: server.url()))
    }

    @Test("a refused connection throws connectionFailed", arguments: HTTPTransport.allCases)
    func refused(_ http: HTTPTransport) async throws {
        let port = try RefusingPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.port)/"))
        #expect(await failure(http.make(), TransportRequest(url: url))?.kind == "connectionFailed")
    }

    @Test("an unknown host throws unresolvedHost", arguments: HTTPTransport.allCases)
    func unresolved(_ http: HTTPTransport) async throws {
        let url = try #require(URL(string: "http://nobody.invalid/"))
        #expect(await failure(http.make(), TransportRequest(url: url))?.kind == "unresolvedHost")
    }

    private static let part = LoopbackStep.text("HTTP/1.1 200 OK\r\nContent-Len")

    @Test(
        "a connection that is closed before or inside the head throws connectionLost",
        arguments: HTTPTransport.allCases,
        [[.reset], [.close], [part, .reset], [part, .close]] as [[LoopbackStep]])
    func incompleteHead(_ http: HTTPTransport, _ steps: [LoopbackStep]) async throws {
        #expect(try await failing(http, steps)?.kind == "connectionLost")
    }

    @Test(
        "a chunked body that is truncated inside a chunk or before the last one throws closedEarly",
        arguments: HTTPTransport.allCases, [3, 5])
    func cutChunk(_ http: HTTPTransport, _ count: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let cut = count == 3 ? "5\r\n123" : "5\r\n12345\r\n"
        #expect(try await failing(http, [.text(head + cut), .close]) == .closedEarly(received: count, expected: nil))
    }

    @Test(
        "a response that violates HTTP throws malformedResponse", arguments: HTTPTransport.allCases,
        MalformedResponse.all)
    func malformed(_ http: HTTPTransport, _ response: MalformedResponse) async throws {
        let found = try await failing(http, [.text(response.text), .close])
        #expect(found?.kind == "malformedResponse")
    }

    @Test(
        "time in which the consumer does not request bytes does not count as a stall", arguments: HTTPTransport.allCases
    )
    func unhurriedConsumer(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { request in
            guard request.path == "/slow" else { return .steps([.awaitDisconnect]) }
            return .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .wait(held), .text("1234")])
        }
        let transport = http.make()
        let slow = try await impatientResponse(transport, server.url("/slow"))
        // Wait four times as long, with the stall of another request.
        let other = TransportRequest(url: server.url("/silent"), stallTimeout: .milliseconds(200))
        #expect(await failure(transport, other) == .timedOut(.head))
        held.open()
        await server.completions(1)
        #expect(try await collect(slow.body) == Array("1234".utf8))
    }

    /// Returns the response to a request with a stall timeout of 50 ms. On a busy machine, this may take several
    /// attempts.
    private func impatientResponse(_ transport: any DataTransport, _ url: URL) async throws -> TransportResponse {
        while true {
            do throws(TransportError) {
                return try await transport.send(TransportRequest(url: url, stallTimeout: .milliseconds(50)))
            } catch {
                guard error == .timedOut(.head) else { throw error }
            }
        }
    }

    @Test(
        "a server that accepts a connection but sends no TLS handshake throws timedOut(.connect)",
        arguments: HTTPTransport.allCases)
    func silentHandshake(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer(greeting: [.awaitDisconnect])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let request = TransportRequest(
            url: url, connectTimeout: .milliseconds(100), stallTimeout: .seconds(600), totalTimeout: .seconds(60))
        #expect(await failure(http.make(), request) == .timedOut(.connect))
    }

    @Test("a server without TLS throws a TLS failure", arguments: HTTPTransport.allCases)
    func notTLS(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer(greeting: [.text("HTTP/1.1 400 Bad Request\r\n\r\n"), .close])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        #expect(await failure(http.make(), TransportRequest(url: url))?.kind == "tls")
    }

    @Test(
        "a compressed body that is truncated inside a complete message throws closedEarly",
        arguments: HTTPTransport.allCases,
        [1, 8, 20, 100])
    func cutCoding(_ http: HTTPTransport, _ missing: Int) async throws {
        let packed = try await gzip(Data(pattern(5000))).dropLast(missing)
        let server = try LoopbackServer { _ in .ok(packed, headers: ["Content-Encoding": "gzip"]) }
        guard case .closedEarly(_, nil) = await failure(http.make(), TransportRequest(url: server.url())) else {
            Issue.record("not closed early")
            return
        }
    }

    @Test(
        "a head above the limit throws headTooLarge, with one line or many", arguments: HTTPTransport.allCases,
        [9_000, 90_000, 1_000_000])
    func hugeHead(_ http: HTTPTransport, _ lineBytes: Int) async throws {
        let server = try LoopbackServer { _ in
            let line = "X: \(String(repeating: "x", count: lineBytes))\r\n"
            let head = "HTTP/1.1 200 OK\r\n\(String(repeating: line, count: 1_000_000 / lineBytes))\r\n"
            return .steps([.text(head), .close])
        }
        let found = await failure(http.make(), TransportRequest(url: server.url()))
        #expect(found == .headTooLarge(byteLimit: 256 << 10))
    }

    @Test("the total timeout includes redirects", arguments: HTTPTransport.allCases)
    func slowRedirects(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/9" ? .steps([.awaitDisconnect]) : .redirect(to: "/9")
        }
        let request = TransportRequest(url: server.url("/1"), totalTimeout: .milliseconds(200))
        #expect(await failure(http.make(), request) == .timedOut(.total))
    }

    @Test("the response to a range request is not decoded", arguments: HTTPTransport.allCases)
    func rangeIsRaw(_ http: HTTPTransport) async throws {
        let packed = try await gzip(Data(count: 1000))
        let server = try LoopbackServer { _ in .ok(packed, headers: ["Content-Encoding": "gzip"]) }
        let request = TransportRequest(url: server.url(), headers: [.range: "bytes=0-"])
        let response = try await http.make().send(request)
        #expect(response.head.expectedByteCount == packed.count)
        #expect(Data(try await collect(response.body)) == packed)
        #expect(server.log.first?.headers["accept-encoding"] == nil)
    }

    private func gzip(_ data: Data) async throws -> Data {
        let result = try await CommandResult.run("/usr/bin/gzip", ["-9c"], input: data)
        #expect(result.status == 0)
        return result.output
    }
}

struct MalformedResponse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String

    static let all = [
        MalformedResponse(testDescription: "no HTTP", text: "\u{1}\u{2}garbage, not HTTP\r\n\r\n"),
        MalformedResponse(
            testDescription: "a status that is not a number", text: "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n"),
        MalformedResponse(
            testDescription: "a chunk size that is not a number",
            text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        MalformedResponse(
            testDescription: "a body that is not valid gzip",
            text: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!"),
    ]
}
