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

    @Test("a body above the limit, announced or not, and one of another length than announced fail")
    func limits() async throws {
        var request = TransportRequest(url: url, bodyByteLimit: 2)
        let body: [ScriptedTransport.Step] = [.piece(Data([1, 2])), .piece(Data([3]))]
        for (announced, limit, failure) in [
            (3, 2, .tooLarge(byteLimit: 2)), (nil, 2, .tooLarge(byteLimit: 2)), (3, 3, nil),
            (4, 4, .closedEarly(received: 3, expected: 4)),
            (2, 4, .other("the script of http://a/ sends more bytes than it announces")),
        ] as [(Int?, Int, TransportError?)] {
            request.bodyByteLimit = limit
            transport.script(url, .init(announcedByteCount: announced, body: body))
            do throws(TransportError) {
                let response = try await transport.send(request)
                _ = try await response.body.collected(expectedByteCount: nil, byteLimit: .max)
                #expect(failure == nil)
                #expect(transport.messages.last == .finished(url))
            } catch {
                #expect(error == failure)
                #expect(transport.messages.last == .failed(url, error))
            }
        }
        #expect(transport.messages.count { if case .failed = $0 { true } else { false } } == 4)
        #expect(transport.messages.count { $0 == .head(url) } == 4, "none for an announced length above the limit")
    }

    @Test("a cancelled task gets no head")
    func cancelledHead() async {
        transport.script(url, .ok(Data([1])))
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await fetch()
        }
        await #expect(throws: TransportError.cancelled) { try await task.value }
        #expect(transport.messages == [.sent(url), .cancelled(url)])
    }

    @Test("a reply with a body announces its length, and a discarded body is not cancelled")
    func discarding() async throws {
        transport.script(url, .ok(Data([1])))
        do {
            let response = try await transport.send(TransportRequest(url: url))
            #expect(response.head.expectedByteCount == 1)
            response.body.discard()
        }
        #expect(transport.messages == [.sent(url), .head(url)] && transport.cancellationCount == 0)
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
