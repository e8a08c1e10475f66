import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Joins one transfer on the engine's thread and its consumer: the lock around a `TransferMachine`, and the continuations.
final class TransferChannel: Sendable {
    typealias HeadResult = Result<ResponseHead, TransportFailure>
    typealias PieceResult = Result<Data?, TransportFailure>

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

    let id: UInt64
    let request: TransportRequest
    /// Keeps the engine's thread alive as long as a transfer is.
    private let engine: CurlEngine
    private let state: Mutex<State>

    init(id: UInt64, request: TransportRequest, engine: CurlEngine) {
        self.id = id
        self.request = request
        self.engine = engine
        state = Mutex(State(machine: TransferMachine(maxBodyBytes: request.maxBodyBytes)))
    }

    // MARK: The engine's side

    var isStallable: Bool { state.withLock { $0.machine.isStallable } }
    var hasHead: Bool { state.withLock { $0.machine.hasHead } }
    var isOver: Bool {
        state.withLock { state in
            if case .over = state.machine.phase { true } else { false }
        }
    }
    /// Bytes delivered and bytes announced.
    var progress: (received: Int, expected: Int?) {
        state.withLock { ($0.machine.receivedBytes, $0.machine.expectedBytes) }
    }

    func connected() { state.withLock { $0.machine.connected() } }

    func headArrived(_ head: ResponseHead) {
        let waiter = state.withLock { state in state.machine.headArrived(head) ? state.takeHeadWaiter() : nil }
        waiter?.resume(returning: .success(head))
    }

    /// What to tell libcurl about a piece of the body.
    func arrived(_ piece: Data) -> TransferMachine.Arrival {
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

    func ended(_ failure: TransportFailure?) {
        let waiters = state.withLock { state in state.machine.ended(failure) ? state.takeWaiters() : nil }
        waiters?.end(failure)
    }

    // MARK: The consumer's side

    func head() async throws(TransportFailure) -> ResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { awaitHead($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func pull() async throws(TransportFailure) -> Data? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { awaitPiece($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func cancel() {
        let (stops, waiters) = state.withLock { state in (state.machine.cancel(), state.takeWaiters()) }
        waiters.end(.cancelled)
        if stops { engine.post(.stop(id)) }
    }

    func discard() {
        if state.withLock({ $0.machine.discard() }) { engine.post(.resume(id)) }
    }

    func abandon() {
        if state.withLock({ $0.machine.abandon() }) { engine.post(.stop(id)) }
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
        if resumes { engine.post(.resume(id)) }
    }
}
