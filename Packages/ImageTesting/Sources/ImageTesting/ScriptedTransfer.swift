import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request and the state of its script.
final class ScriptedTransfer: Sendable {
    private struct State {
        var steps: ArraySlice<ScriptedTransport.Step>
        var received = 0
        var hasEnded = false
    }

    private let reply: ScriptedTransport.Reply
    private let request: TransportRequest
    private let owner: ScriptedTransport
    private let state: Mutex<State>

    init(reply: ScriptedTransport.Reply, request: TransportRequest, owner: ScriptedTransport) {
        self.reply = reply
        self.request = request
        self.owner = owner
        state = Mutex(State(steps: reply.body[...]))
    }

    func response() async throws(TransportError) -> TransportResponse {
        let head = try await head()
        let body = TransportBody(
            pull: { () async throws(TransportError) in try await self.pull() }, discard: { self.end(nil) },
            abandon: { self.end(.cancelled(self.request.url)) })
        return TransportResponse(head: head, body: body)
    }

    private func head() async throws(TransportError) -> ResponseHead {
        for step in reply.beforeHead {
            switch step {
            case .piece: break
            case .wait(let gate): try await pass(gate)
            case .pause(let pause, let clock): try await self.pause(for: pause, by: clock)
            case .fail(let failure): throw fail(failure)
            }
        }
        if Task.isCancelled { throw fail(.cancelled) }
        let head = ResponseHead(
            status: reply.status, headers: reply.headers, url: request.url, expectedByteCount: reply.announcedByteCount)
        if let announced = reply.announcedByteCount, announced > request.bodyByteLimit, !RedirectChain.isRedirect(head)
        {
            throw fail(.tooLarge(byteLimit: request.bodyByteLimit))
        }
        owner.record(.head(request.url))
        return head
    }

    private func pull() async throws(TransportError) -> Data? {
        while true {
            if Task.isCancelled { throw fail(.cancelled) }
            switch state.withLock({ $0.steps.popFirst() }) {
            case .wait(let gate)?: try await pass(gate)
            case .pause(let pause, let clock)?: try await self.pause(for: pause, by: clock)
            case .fail(let failure)?: throw fail(failure)
            case .piece(let piece)?:
                if !piece.isEmpty { return try count(piece) }
            case nil: return try finish()
            }
        }
    }

    private func count(_ piece: Data) throws(TransportError) -> Data {
        let received = state.withLock { state in
            state.received += piece.count
            return state.received
        }
        guard received <= request.bodyByteLimit else { throw fail(.tooLarge(byteLimit: request.bodyByteLimit)) }
        guard received <= reply.announcedByteCount ?? .max else {
            throw fail(.other("the script of \(request.url.absoluteString) sends more bytes than it announces"))
        }
        return piece
    }

    private func finish() throws(TransportError) -> Data? {
        let received = state.withLock { $0.received }
        if let announced = reply.announcedByteCount, received < announced {
            throw fail(.closedEarly(received: received, expected: announced))
        }
        end(.finished(request.url))
        return nil
    }

    private func pass(_ gate: TestGate) async throws(TransportError) {
        guard await gate.passUnlessCancelled() else { throw fail(.cancelled) }
    }

    private func pause(for duration: Duration, by clock: any Clock<Duration>) async throws(TransportError) {
        do {
            try await clock.sleep(for: duration)
        } catch {
            // A clock only throws if the task is cancelled.
            throw fail(.cancelled)
        }
    }

    private func fail(_ failure: TransportError) -> TransportError {
        end(failure == .cancelled ? .cancelled(request.url) : .failed(request.url, failure))
        return failure
    }

    /// Records the end of the transfer once. `message` is nil for a discarded body.
    private func end(_ message: ScriptedTransport.Message?) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst, let message { owner.record(message) }
    }
}
