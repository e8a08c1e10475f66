import Foundation
import HTTPTypes
import ImageTesting
import ImageTransporting
import Testing

@Suite("ScriptedTransport", .timeLimit(.minutes(10)))
struct ScriptedTransportTests {
    private let transport = ScriptedTransport()
    private let url: URL

    init() throws { url = try #require(URL(string: "http://a/")) }

    private func fetch() async throws(TransportFailure) -> Data {
        let response = try await transport.send(TransportRequest(url: url))
        return try await response.body.collected(expectedBytes: nil, limit: .max)
    }

    @Test("a request without a script fails with its URL and is logged")
    func unscripted() async {
        await #expect(throws: TransportFailure.other("unscripted request: \(url.absoluteString)")) { try await fetch() }
        #expect(transport.messages == [.sent(url), .unscripted(url)])
    }

    @Test("replies are used in order, and the last one is repeated")
    func order() async throws {
        transport.script(url, .failure(.connectionLost("x")), .ok(Data([1])), .ok(Data([2])))
        await #expect(throws: TransportFailure.connectionLost("x")) { try await fetch() }
        #expect(try await fetch() == Data([1]))
        #expect(try await fetch() == Data([2]))
        #expect(try await fetch() == Data([2]))
        #expect(transport.sendCount == 4)
        #expect(
            transport.messages.prefix(5) == [
                .sent(url), .failed(url, .connectionLost("x")), .sent(url), .head(url), .finished(url),
            ])
    }

    @Test("a gate suspends the body, and cancelling the task ends the transfer immediately")
    func cancelAtGate() async throws {
        let gate = Gate()
        transport.script(url, .init(body: [.piece(Data([1])), .wait(gate), .piece(Data([2]))]))
        let task = Task { try await fetch() }
        await gate.arrivals(1)
        task.cancel()
        await transport.cancellations(1)
        await #expect(throws: TransportFailure.cancelled) { try await task.value }
        #expect(transport.messages == [.sent(url), .head(url), .cancelled(url)])
    }

    @Test("the body continues when the gate opens")
    func passGate() async throws {
        let gate = Gate()
        transport.script(
            url, .init(beforeHead: [.wait(gate)], body: [.piece(Data([1])), .wait(gate), .piece(Data([2]))]))
        async let data = fetch()
        await transport.sends(1)
        gate.open()
        #expect(try await data == Data([1, 2]))
    }

    @Test("releasing a body counts as a cancellation, reading it to its end does not")
    func releasing() async throws {
        transport.script(url, .ok(Data([1])))
        do { _ = try await transport.send(TransportRequest(url: url)) }
        await transport.cancellations(1)
        _ = try await fetch()
        #expect(transport.cancellationCount == 1)
    }

    @Test("requests are recorded with their headers")
    func requests() async throws {
        transport.script(url, .ok(Data()))
        _ = try await transport.send(TransportRequest(url: url, headers: [.ifNoneMatch: "\"1\""]))
        #expect(transport.requests.map { $0.headers[.ifNoneMatch] } == ["\"1\""])
    }

    @Test("faults of networks and origins fail as in a real transport")
    func faults() async {
        let body = Data([1, 2, 3, 4, 5])
        for (reply, failure) in [
            (.refused, .connectionFailed("connection refused")),
            (.cut(body, after: 3), .closedEarly(received: 3, expected: 5)),
            (.cut(body, after: 0), .closedEarly(received: 0, expected: 5)),
            (.wrongLength(body, announced: 9), .closedEarly(received: 5, expected: 9)),
        ] as [(ScriptedTransport.Reply, TransportFailure)] {
            transport.script(url, reply)
            await #expect(throws: failure) { try await fetch() }
        }
        transport.script(url, .wrongLength(body, announced: 2))
        #expect(await (try? fetch()) == Data([1, 2]))
    }

    @Test(
        "a stalled body continues or fails when the gate opens",
        arguments: [nil, .timedOut(.body)] as [TransportFailure?])
    func stalled(failure: TransportFailure?) async throws {
        let gate = Gate()
        transport.script(url, .stalled(Data([1, 2, 3]), after: 1, until: gate, failure: failure))
        let task = Task { try await fetch() }
        await gate.arrivals(1)
        #expect(transport.messages == [.sent(url), .head(url)])
        gate.open()
        let ending = await task.result
        if let failure {
            #expect(throws: failure) { try ending.get() }
        } else {
            #expect(try ending.get() == Data([1, 2, 3]))
        }
    }

    @Test("a slow body arrives in pieces as its clock advances, and can be cancelled in a pause")
    func slow() async throws {
        let clock = ManualClock()
        transport.script(url, .slow(Data([1, 2, 3]), piecesOf: 2, every: .seconds(1), on: clock))
        let task = Task { try await fetch() }
        for _ in 0..<2 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
        }
        #expect(try await task.value == Data([1, 2, 3]))
        let cancelled = Task { try await fetch() }
        await clock.sleepers(1)
        cancelled.cancel()
        await #expect(throws: TransportFailure.cancelled) { try await cancelled.value }
    }
}
