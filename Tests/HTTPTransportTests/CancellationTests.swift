import Foundation
import HTTPTransports
import HTTPTypes
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Cancellation and backpressure", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("a transfer that waits for a connection can be cancelled", arguments: HTTPTransport.allCases)
    func cancelQueued(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { _ in .steps([.wait(held), .text("HTTP/1.1 204 No Content\r\n\r\n")]) }
        let transport = http.make(perHost: 1)
        // The request waits for as long as this task has no thread.
        let request = TransportRequest(url: server.url("/1"), stallTimeout: .seconds(600))
        let first = Task { await failure(transport, request) }
        await held.arrivals(1)
        let second = Task { await failure(transport, TransportRequest(url: server.url("/2"))) }
        second.cancel()
        #expect(await second.value == .cancelled)
        held.open()
        #expect(await first.value == nil)
        // It leaves its place to others.
        let third = TransportRequest(url: server.url("/3"), totalTimeout: .seconds(60))
        #expect(await failure(transport, third) == nil)
        #expect(server.log.map(\.path) == ["/1", "/3"])
    }

    @Test(
        "cancelling closes the connection while the head or the body is awaited", arguments: HTTPTransport.allCases,
        [[], [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx")]] as [[LoopbackStep]])
    func closesConnection(_ http: HTTPTransport, _ steps: [LoopbackStep]) async throws {
        let server = try LoopbackServer { _ in .steps(steps + [.awaitDisconnect]) }
        let (transport, received) = (http.make(), LoopbackSignal())
        let task = Task { () async -> TransportError? in
            do throws(TransportError) {
                for try await _ in try await transport.send(TransportRequest(url: server.url())).body {
                    received.arrive()
                }
                return nil
            } catch {
                return error
            }
        }
        await server.requests(1)
        if !steps.isEmpty { await received.arrivals(1) }
        task.cancel()
        #expect(await task.value == .cancelled)
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

@Suite("Concurrent requests to a host", .timeLimit(.minutes(10)))
struct OverlapTests {
    @Test(
        "a request does not wait for the response to the first request to its host",
        arguments: HTTPTransport.allCases)
    func firstIsHeld(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { $0.path == "/held" ? .steps([.wait(held), .close]) : .ok("one".utf8) }
        let transport = http.make()
        let first = Task { try await transport.send(TransportRequest(url: server.url("/held"))) }
        await held.arrivals(1)
        #expect(try await transport.send(TransportRequest(url: server.url("/a"))).head.status == .ok)
        first.cancel()
        await #expect(throws: TransportError.cancelled) { try await first.value }
    }

    @Test(
        "time in the queue for a connection does not count for the connect timeout", arguments: HTTPTransport.allCases)
    func queued(_ http: HTTPTransport) async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { $0.path == "/held" ? .steps([.wait(held), .close]) : .ok("one".utf8) }
        let silent = try LoopbackServer { _ in .steps([.awaitDisconnect]) }
        let transport = http.make(perHost: 1)
        let first = Task { await failure(transport, TransportRequest(url: server.url("/held"))) }
        await held.arrivals(1)
        let queued = TransportRequest(url: server.url("/a"), connectTimeout: .milliseconds(50))
        let second = Task { await failure(transport, queued) }
        // Wait four times as long, with the stall of another request.
        let other = TransportRequest(url: silent.url(), stallTimeout: .milliseconds(200))
        #expect(await failure(http.make(), other) == .timedOut(.head))
        held.open()
        #expect(await second.value == nil)
        #expect(await first.value != nil)
    }
}
