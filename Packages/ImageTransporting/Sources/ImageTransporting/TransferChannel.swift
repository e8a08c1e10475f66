import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Joins one transfer of an engine and its consumer: the lock around a `TransferMachine`, and the continuations.
package final class TransferChannel: Sendable {
    package typealias HeadResult = Result<ResponseHead, TransportFailure>
    package typealias PieceResult = Result<Data?, TransportFailure>

    private struct State {
        var machine: TransferMachine
        var headWaiter: CheckedContinuation<HeadResult, Never>?
        var pieceWaiter: CheckedContinuation<PieceResult, Never>?

        mutating func takeHeadWaiter() -> CheckedContinuation<HeadResult, Never>? {
            defer { headWaiter = nil }
            return headWaiter
        }

        mutating func takePieceWaiter() -> CheckedContinuation<PieceResult, Never>? {
            defer { pieceWaiter = nil }
            return pieceWaiter
        }

        mutating func takeWaiters() -> Waiters {
            Waiters(head: takeHeadWaiter(), piece: takePieceWaiter())
        }
    }

    private struct Waiters: Sendable {
        var head: CheckedContinuation<HeadResult, Never>?
        var piece: CheckedContinuation<PieceResult, Never>?

        func end(_ failure: TransportFailure?) {
            head?.resume(returning: .failure(failure ?? .connectionLost("the response has no head")))
            piece?.resume(returning: failure.map { .failure($0) } ?? .success(nil))
        }
    }

    package let request: TransportRequest
    private let resume: @Sendable () -> Void
    private let stop: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - resume: lets a sender that was held back go on.
    ///   - stop: ends the transfer; called at most once, and not when it has ended by itself.
    package init(
        request: TransportRequest, resume: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.resume = resume
        self.stop = stop
        state = Mutex(State(machine: TransferMachine(maxBodyBytes: request.maxBodyBytes)))
    }

    // MARK: The engine's side

    package var isStallable: Bool { state.withLock { $0.machine.isStallable } }
    package var isPaused: Bool { state.withLock { $0.machine.phase == .paused } }
    package var hasHead: Bool { state.withLock { $0.machine.hasHead } }
    package var isOver: Bool {
        state.withLock { state in
            if case .over = state.machine.phase { true } else { false }
        }
    }
    /// Bytes delivered and bytes announced.
    package var progress: (received: Int, expected: Int?) {
        state.withLock { ($0.machine.receivedBytes, $0.machine.expectedBytes) }
    }

    package func connected() { state.withLock { $0.machine.connected() } }

    package func headArrived(_ head: ResponseHead) {
        let waiter = state.withLock { state in state.machine.headArrived(head) ? state.takeHeadWaiter() : nil }
        waiter?.resume(returning: .success(head))
    }

    /// What the engine is to do about a piece of the body.
    package func arrived(_ piece: Data) -> TransferMachine.Arrival {
        let (arrival, waiter) = state.withLock { state in
            let arrival = state.machine.arrived(piece)
            switch arrival {
            case .deliver, .fail: return (arrival, state.takePieceWaiter())
            case .keep, .pause, .stop: return (arrival, nil)
            }
        }
        switch arrival {
        case .deliver(let piece): waiter?.resume(returning: .success(piece))
        case .fail(let failure): waiter?.resume(returning: .failure(failure))
        case .keep, .pause, .stop: break
        }
        return arrival
    }

    package func ended(_ failure: TransportFailure?) {
        let waiters = state.withLock { state in state.machine.ended(failure) ? state.takeWaiters() : nil }
        waiters?.end(failure)
    }

    // MARK: The consumer's side

    private func head() async throws(TransportFailure) -> ResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { awaitHead($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func pull() async throws(TransportFailure) -> Data? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { awaitPiece($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// The response as the port wants it.
    package func response() async throws(TransportFailure) -> TransportResponse {
        let head = try await head()
        let body = TransportBody(
            pull: { () async throws(TransportFailure) in try await self.pull() }, discard: { self.discard() },
            abandon: { self.abandon() })
        return TransportResponse(head: head, body: body)
    }

    private func cancel() {
        let (stops, waiters) = state.withLock { state in (state.machine.cancel(), state.takeWaiters()) }
        waiters.end(.cancelled)
        if stops { stop() }
    }

    private func discard() {
        if state.withLock({ $0.machine.discard() }) { resume() }
    }

    private func abandon() {
        if state.withLock({ $0.machine.abandon() }) { stop() }
    }

    private func awaitHead(_ continuation: CheckedContinuation<HeadResult, Never>) {
        let answer = state.withLock { state in
            let answer = state.machine.awaitHead()
            if case .wait = answer { state.headWaiter = continuation }
            return answer
        }
        switch answer {
        case .wait: break
        case .now(let head): continuation.resume(returning: .success(head))
        case .fail(let failure): continuation.resume(returning: .failure(failure))
        }
    }

    private func awaitPiece(_ continuation: CheckedContinuation<PieceResult, Never>) {
        let (answer, resumes) = state.withLock { state in
            let pulled = state.machine.pull()
            if case .wait = pulled.answer { state.pieceWaiter = continuation }
            return pulled
        }
        switch answer {
        case .wait: break
        case .now(let piece): continuation.resume(returning: .success(piece))
        case .fail(let failure): continuation.resume(returning: .failure(failure))
        }
        if resumes { resume() }
    }
}
