import Foundation
import HTTPTransports
import HTTPTypes
import ImageTransporting
import LoopbackServer
import Testing

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
        await #expect(throws: TransportFailure.cancelled) { try await first.value }
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
