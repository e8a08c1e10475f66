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

    private func fetch() async throws(TransportError) -> Data {
        let response = try await transport.send(TransportRequest(url: url))
        return try await response.body.collected(expectedByteCount: nil, byteLimit: .max)
    }

    @Test("a request without a script fails with its URL and is logged")
    func unscripted() async {
        await #expect(throws: TransportError.other("unscripted request: \(url.absoluteString)")) { try await fetch() }
        #expect(transport.messages == [.sent(url), .unscripted(url)])
    }

    @Test("replies are used in order, and the last one is repeated")
    func order() async throws {
        transport.script(url, .failure(.connectionLost("x")), .ok(Data([1])), .ok(Data([2])))
        await #expect(throws: TransportError.connectionLost("x")) { try await fetch() }
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
        let gate = TestGate()
        transport.script(url, .init(body: [.piece(Data([1])), .wait(gate), .piece(Data([2]))]))
        let task = Task { try await fetch() }
        await gate.waitForArrivals(1)
        task.cancel()
        await transport.waitForCancellations(1)
        await #expect(throws: TransportError.cancelled) { try await task.value }
        #expect(transport.messages == [.sent(url), .head(url), .cancelled(url)])
    }

    @Test("the body continues when the gate opens")
    func passGate() async throws {
        let gate = TestGate()
        transport.script(
            url, .init(beforeHead: [.wait(gate)], body: [.piece(Data([1])), .wait(gate), .piece(Data([2]))]))
        async let data = fetch()
        await transport.waitForSends(1)
        gate.open()
        #expect(try await data == Data([1, 2]))
    }

    @Test("releasing a body counts as a cancellation, reading it to its end does not")
    func releasing() async throws {
        transport.script(url, .ok(Data([1])))
        do { _ = try await transport.send(TransportRequest(url: url)) }
        await transport.waitForCancellations(1)
        _ = try await fetch()
        #expect(transport.cancellationCount == 1)
    }
}
