import Foundation
import HTTPTransports
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Cancellation and backpressure", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test(
        "cancelling while waiting for the head throws cancelled and closes the connection",
        arguments: HTTPTransport.allCases)
    func cancelInHead(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .steps([.awaitDisconnect]) }
        let transport = http.make()
        let task = Task { await failure(transport, TransportRequest(url: server.url())) }
        await server.requests(1)
        task.cancel()
        #expect(await task.value == .cancelled)
        await server.abandonments(1)
    }

    @Test(
        "cancelling while waiting for the body throws cancelled and closes the connection",
        arguments: HTTPTransport.allCases)
    func cancelInBody(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { _ in
            .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n1234"), .wait(held)])
        }
        let transport = http.make()
        let task = Task { await failure(transport, TransportRequest(url: server.url())) }
        await held.arrivals(1)
        task.cancel()
        #expect(await task.value == .cancelled)
        await server.abandonments(1)
    }

    @Test("a task that is already cancelled throws cancelled", arguments: HTTPTransport.allCases)
    func cancelledBefore(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok([1]) }
        let transport = http.make()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure(transport, TransportRequest(url: server.url()))
        }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("a transfer that waits for a connection can be cancelled", arguments: HTTPTransport.allCases)
    func cancelQueued(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { _ in .steps([.wait(held), .text("HTTP/1.1 204 No Content\r\n\r\n")]) }
        let transport = http.make(perHost: 1)
        let first = Task { await failure(transport, TransportRequest(url: server.url("/1"))) }
        await held.arrivals(1)
        let second = Task { await failure(transport, TransportRequest(url: server.url("/2"))) }
        second.cancel()
        #expect(await second.value == .cancelled)
        held.open()
        #expect(await first.value == nil)
        #expect(server.log.map(\.path) == ["/1"])
    }

    @Test("releasing the body closes the connection", arguments: HTTPTransport.allCases)
    func drop(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in
            .steps([.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n1234"), .awaitDisconnect])
        }
        let transport = http.make()
        do {
            let response = try await transport.send(TransportRequest(url: server.url()))
            #expect(response.head.expectedBytes == 100)
        }
        await server.abandonments(1)
    }

    @Test(
        "a connection is reused after its body was read to the end, even before the body is released",
        arguments: HTTPTransport.allCases)
    func keptAfterEnd(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok(pattern(10)) }
        let transport = http.make()
        let first = try await transport.send(TransportRequest(url: server.url()))
        #expect(try await collect(first.body).count == 10)
        _ = try await collect(try await transport.send(TransportRequest(url: server.url())).body)
        #expect(server.connectionCount == 1)
        #expect(try await collect(first.body) == [])
    }

    @Test(
        "a consumer that does not read pauses the sender, and gets every byte when it reads",
        arguments: HTTPTransport.allCases)
    func backpressure(_ http: HTTPTransport) async throws {
        let big = bigPattern(mebibytes: 24)
        let server = try LoopbackServer() { request in
            request.path == "/big"
                ? .steps([
                    .text(LoopbackReply.head(status: 200, headers: ["Content-Length": "\(big.count)"])), .bytes(big),
                ])
                : .ok([1])
        }
        let transport = http.make()
        let response = try await transport.send(TransportRequest(url: server.url("/big")))
        await server.blockedSends(1)
        // Each request runs the event loop. Without backpressure, the transport would continue to read the large body.
        for _ in 0..<300 {
            _ = try await collect(try await transport.send(TransportRequest(url: server.url("/small"))).body)
        }
        let sent = server.sentByteCount
        #expect(sent < 12 << 20, "sent \(sent)")
        #expect(try await collect(response.body) == big)
    }

    @Test(
        "cancelling at any time ends with cancelled or the complete body",
        arguments: HTTPTransport.allCases)
    func races(_ http: HTTPTransport) async throws {
        let server = try LoopbackServer { _ in .ok(pattern(100_000)) }
        let transport = http.make()
        for round in 0..<200 {
            let task = Task { await failure(transport, TransportRequest(url: server.url())) }
            for _ in 0..<(round % 40) { await Task.yield() }
            task.cancel()
            let end = await task.value
            #expect(end == nil || end == .cancelled)
        }
    }
}
