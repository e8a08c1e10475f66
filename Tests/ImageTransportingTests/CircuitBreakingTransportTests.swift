import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Synchronization
import Testing

@testable import ImageTesting

@Suite("CircuitBreakingTransport", .timeLimit(.minutes(5)))
struct CircuitBreakingTransportTests {
    private typealias Reply = ScriptedTransport.Reply

    private let network = ScriptedTransport()
    private let clock = ManualClock()
    private let connectivity = SettableConditionMonitor(Connectivity.online)
    private let transport: CircuitBreakingTransport

    init() {
        transport = CircuitBreakingTransport(
            network, threshold: 2, pause: .seconds(5), clock: clock, connectivityMonitor: connectivity)
    }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("no URL: \(text)") }
        return url
    }

    /// Sends a request and reads the body of its response. Returns the failure, if any.
    @discardableResult
    private func get(_ text: String, _ reply: Reply? = nil) async -> TransportError? {
        if let reply { network.script(Self.url(text), reply) }
        do throws(TransportError) {
            let response = try await transport.send(TransportRequest(url: Self.url(text)))
            if response.head.status.kind == .successful {
                for try await _ in response.body {}
            } else {
                response.body.discard()
            }
            return nil
        } catch {
            return error
        }
    }

    private func isRefused(_ text: String) async -> Bool {
        if case .serverUnavailable = await get(text, .ok(Data([1]))) { true } else { false }
    }

    private func fail(_ text: String, times: Int = 2) async {
        for _ in 0..<times { await get(text, .refused) }
    }

    @Test("if responses don't count, a site whose images fail doesn't stop the others of its server")
    func sharedServer() async {
        let transport = CircuitBreakingTransport(network, threshold: 2, countsResponses: false, clock: clock)
        let failures: [Reply] = [.status(503), .failure(.timedOut(.head)), .failure(.connectionLost("closed"))]
        for reply in failures + failures {
            network.script(Self.url("http://a/bad"), reply)
            _ = try? await transport.send(TransportRequest(url: Self.url("http://a/bad"))).body.discard()
        }
        network.script(Self.url("http://a/good"), .ok(Data([1])))
        await #expect(throws: Never.self) { try await transport.send(TransportRequest(url: Self.url("http://a/good"))) }
        for reply in [Reply.refused, .ok(Data([1])), .refused, .failure(.timedOut(.connect))] {
            #expect(transport.unavailableServerCount == 0)
            network.script(Self.url("http://a:81/"), reply)
            _ = try? await transport.send(TransportRequest(url: Self.url("http://a:81/")))
        }
        #expect(transport.unavailableServerCount == 1)
        await #expect(throws: Never.self) { try await transport.send(TransportRequest(url: Self.url("http://a/good"))) }
    }

    @Test("a server with consecutive failures gets no requests for a while, then one that decides")
    func opens() async {
        await fail("http://a/1")
        #expect(await isRefused("http://a/2"))
        #expect(network.sendCount == 2)
        clock.advance(by: .seconds(5))
        await fail("http://a/1", times: 1)
        #expect(await isRefused("http://a/2"))
        clock.advance(by: .seconds(5))
        #expect(await !isRefused("http://a/2"))
        #expect(await !isRefused("http://a/3"))
    }

    @Test(
        "each response that doesn't arrive counts, whether its head or its body is missing",
        arguments: [
            .unresolvedHost("a"), .connectionFailed("refused"), .connectionLost("reset"), .timedOut(.connect),
            .timedOut(.head), .timedOut(.body), .timedOut(.total), .closedEarly(received: 1, expected: 2),
        ] as [TransportError], [true, false])
    func failures(_ failure: TransportError, inBody: Bool) async {
        let reply = inBody ? Reply(body: [.piece(Data([1])), .fail(failure)]) : .failure(failure)
        for _ in 0..<2 { #expect(await get("http://a/1", reply) == failure) }
        #expect(await isRefused("http://a/1"))
    }

    @Test("a gateway without a server counts as a failure", arguments: [502, 503, 504])
    func gateways(_ status: Int) async {
        for _ in 0..<2 { await get("http://a/1", .status(.init(code: status))) }
        #expect(await isRefused("http://a/1"))
    }

    @Test("a server that responds is up, whatever the status", arguments: [200, 206, 301, 304, 403, 404, 429, 500])
    func responses(_ status: Int) async {
        for _ in 0..<3 {
            await fail("http://a/1", times: 1)
            await get("http://a/2", .status(.init(code: status)))
        }
        #expect(await !isRefused("http://a/1"))
    }

    @Test(
        "other failures count as nothing",
        arguments: [
            .tls("expired"), .malformedResponse("no HTTP"), .tooLarge(byteLimit: 1), .blockedAddress("a"),
            .cancelled, .other("?"),
        ] as [TransportError])
    func inconclusive(_ failure: TransportError) async {
        await fail("http://a/1", times: 1)
        for _ in 0..<3 { await get("http://a/1", .failure(failure)) }
        #expect(await !isRefused("http://a/1"))
    }

    @Test(
        "only the server that failed is avoided: its scheme, host and port",
        arguments: ["http://b/", "http://a:8080/", "https://a/", "http://a.b/"])
    func otherOrigins(_ other: String) async {
        await fail("http://a/1")
        #expect(await !isRefused(other))
    }

    @Test("the target of a redirect is blamed for its failure, not the server that redirects")
    func redirects() async {
        network.script(Self.url("http://b/1"), .refused)
        network.script(Self.url("http://a/1"), .status(.found, headers: [.location: "http://b/1"]))
        for _ in 0..<3 { await get("http://a/1") }
        #expect(network.requests.map(\.url.absoluteString).suffix(3) == ["http://a/1", "http://b/1", "http://a/1"])
        #expect(await !isRefused("http://a/2"))
        #expect(await isRefused("http://b/2"))
    }

    @Test("the total timeout includes redirects")
    func totalTimeout() async throws {
        network.script(
            Self.url("http://a/1"),
            Reply(
                beforeHead: [.pause(.seconds(7), on: clock)], status: .found, headers: [.location: "http://b/1"],
                announcedByteCount: 0))
        network.script(Self.url("http://b/1"), .ok(Data([1])))
        let request = TransportRequest(url: Self.url("http://a/1"), totalTimeout: .seconds(10))
        async let response = transport.send(request)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(7))
        _ = try await response
        #expect(network.requests.map(\.totalTimeout) == [.seconds(10), .seconds(3)])
    }

    @Test("a cancelled request counts as nothing, whatever it throws")
    func cancelled() async {
        let gate = TestGate()
        for number in 0..<3 {
            network.script(Self.url("http://a/1"), Reply(body: [.piece(Data([1])), .wait(gate), .piece(Data([2]))]))
            let task = Task { await get("http://a/1") }
            await gate.waitForArrivals(number + 1)
            task.cancel()
            #expect(await task.value == .cancelled)
        }
        #expect(await !isRefused("http://a/1"))
    }

    @Test("a body that is released before its end counts as nothing")
    func released() async throws {
        await fail("http://a/1", times: 1)
        network.script(Self.url("http://a/1"), Reply(body: [.piece(Data([1])), .piece(Data([2]))]))
        for _ in 0..<3 { _ = try await transport.send(TransportRequest(url: Self.url("http://a/1"))) }
        await fail("http://a/1", times: 1)
        #expect(await isRefused("http://a/1"))
    }

    @Test("a body that is discarded, or empty, is a success of its server", arguments: [true, false])
    func unread(isDiscarded: Bool) async throws {
        await fail("http://a/1", times: 1)
        network.script(Self.url("http://a/1"), isDiscarded ? Reply(body: [.piece(Data([1]))]) : .status(.noContent))
        do {
            let response = try await transport.send(TransportRequest(url: Self.url("http://a/1")))
            if isDiscarded { response.body.discard() }
        }
        #expect(!isDiscarded || network.cancellationCount == 0)
        await fail("http://a/1", times: 1)
        #expect(await !isRefused("http://a/1"))
    }

    @Test("while the body of the deciding response arrives, others are sent, until one fails")
    func longProbe() async throws {
        await fail("http://a/1")
        clock.advance(by: .seconds(5))
        let gate = TestGate()
        network.script(Self.url("http://a/1"), Reply(body: [.piece(Data([1])), .wait(gate), .piece(Data([2]))]))
        let probe = Task { await get("http://a/1") }
        await gate.waitForArrivals(1)
        await fail("http://a/2", times: 1)
        #expect(network.sendCount == 4)
        #expect(await isRefused("http://a/3"))
        gate.open()
        #expect(await probe.value == nil)
        #expect(await !isRefused("http://a/3"))
    }

    @Test("failures without a network count as nothing")
    func offline() async {
        connectivity.condition = .offline
        await fail("http://a/1", times: 3)
        #expect(network.sendCount == 3)
        connectivity.condition = .online
        #expect(await !isRefused("http://a/1"))
    }

    @Test("when the network returns, all servers get requests again")
    func networkReturned() async {
        await fail("http://a/1")
        connectivity.condition = .offline
        #expect(await isRefused("http://a/1"))
        connectivity.condition = .online
        #expect(await !isRefused("http://a/1"))
    }

    @Test("when the network returns, idle connections are closed, once")
    func idleConnections() {
        let closed = Mutex(0)
        let transport = CircuitBreakingTransport(
            ClosingTransport { closed.withLock { $0 += 1 } }, clock: clock, connectivityMonitor: connectivity)
        connectivity.condition = .offline
        #expect(closed.withLock { $0 } == 0)
        connectivity.condition = .online
        connectivity.condition = .online
        #expect(closed.withLock { $0 } == 1)
        transport.closeIdleConnections()
        #expect(closed.withLock { $0 } == 2)
    }

    @Test("of many servers that fail, a limited number is remembered, and those that are refused longest")
    func manyServers() async {
        await fail("http://a/")
        for number in 0..<3_000 { await fail("http://\(number)/", times: 1) }
        #expect(await isRefused("http://a/"))
        for number in 0..<3_000 { await fail("http://b\(number)/") }
        #expect(transport.unavailableServerCount == 1_000)
    }

    @Test("a request that began before the network returned counts as nothing")
    func beganBefore() async {
        let gate = TestGate()
        network.script(
            Self.url("http://a/1"), Reply(beforeHead: [.wait(gate), .fail(.timedOut(.head))]))
        let tasks = (0..<2).map { _ in Task { await get("http://a/1") } }
        await gate.waitForArrivals(2)
        connectivity.condition = .offline
        connectivity.condition = .online
        gate.open()
        for task in tasks { #expect(await task.value == .timedOut(.head)) }
        #expect(await !isRefused("http://a/1"))
    }
}
