import Foundation
import HTTPTypes
import ImageTransportCurl
import ImageTransporting
import LoopbackServer
import Testing

@Suite("Requests to one host at once", .timeLimit(.minutes(10)))
struct OverlapTests {
    @Test("the first request to a host does not hold back the next while it waits for its answer")
    func firstIsHeld() async throws {
        let held = LoopbackSignal()
        let server = try LoopbackServer { $0.path == "/held" ? .steps([.wait(held), .close]) : .ok("one".utf8) }
        let transport = CurlTransport()
        let first = Task { try await transport.send(TransportRequest(url: server.url("/held"))) }
        await held.arrivals(1)
        #expect(try await transport.send(TransportRequest(url: server.url("/a"))).head.status == .ok)
        first.cancel()
        await #expect(throws: TransportFailure.cancelled) { try await first.value }
    }
}
