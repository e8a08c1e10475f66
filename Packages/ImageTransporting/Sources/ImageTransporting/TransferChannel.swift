package import ImageCore
import Synchronization

/// Connects a transfer of an HTTP engine with its consumer, by a `TransferStateMachine`.
package final class TransferChannel: Sendable {
    typealias HeadResult = Result<ResponseHead, TransportError>
    typealias PieceResult = Result<Data?, TransportError>

    private struct State {
        var machine: TransferStateMachine
        var headWaiter: CheckedContinuation<HeadResult, Never>?
        var pieceWaiter: CheckedContinuation<PieceResult, Never>?

        mutating func takeWaiters() -> Waiters { Waiters(head: headWaiter.take(), piece: pieceWaiter.take()) }
    }

    private struct Waiters: Sendable {
        var head: CheckedContinuation<HeadResult, Never>?
        var piece: CheckedContinuation<PieceResult, Never>?

        func end(_ failure: TransportError?) {
            head?.resume(returning: .failure(failure ?? .connectionLost("the response has no head")))
            piece?.resume(returning: failure.map { .failure($0) } ?? .success(nil))
        }
    }

    package let request: TransportRequest
    private let resume: @Sendable () -> Void
    private let stop: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameter stop: Ends the transfer. Called at most once, and not if the transfer has already ended.
    package init(
        request: TransportRequest, resume: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.resume = resume
        self.stop = stop
        state = Mutex(State(machine: TransferStateMachine(bodyByteLimit: request.bodyByteLimit)))
    }

    // MARK: Engine

    package var isWaitingForBytes: Bool { state.withLock { $0.machine.isWaitingForBytes } }
    package var isPaused: Bool { state.withLock { $0.machine.phase == .paused } }
    package var hasHead: Bool { state.withLock { $0.machine.hasHead } }
    package var isOver: Bool {
        state.withLock { state in
            if case .over = state.machine.phase { true } else { false }
        }
    }
    /// The numbers of received and announced bytes of the body.
    package var progress: (received: Int, expected: Int?) {
        state.withLock { ($0.machine.receivedBytes, $0.machine.expectedByteCount) }
    }

    package func connected() { state.withLock { $0.machine.connected() } }

    /// The events of a transfer since the engine's last report.
    package struct Update {
        package var head: ResponseHead?
        package var piece = Data()
        package var isOver = false
        /// The reason why the transfer ended, or `nil` if it succeeded.
        package var failure: TransportError?

        package init(head: ResponseHead? = nil, piece: Data = Data(), isOver: Bool = false) {
            self.head = head
            self.piece = piece
            self.isOver = isOver
        }

        package var isEmpty: Bool { head == nil && piece.isEmpty && !isOver }
    }

    package func headArrived(_ head: ResponseHead) { report(Update(head: head)) }

    /// Reports a piece of the body. Returns what the engine must do.
    package func arrived(_ piece: Data) -> TransferStateMachine.PieceAction { report(Update(piece: piece)) }

    package func ended(_ failure: TransportError?) {
        var update = Update(isOver: true)
        update.failure = failure
        report(update)
    }

    /// Reports several events together, so that the consumer is resumed only once. Returns what the engine must do.
    @discardableResult
    package func report(_ update: Update) -> TransferStateMachine.PieceAction {
        let (action, waiters, rest) = state.withLock { state in
            let headWaiter = update.head.flatMap { state.machine.headArrived($0) ? state.headWaiter.take() : nil }
            let action = update.piece.isEmpty ? .buffer : state.machine.arrived(update.piece)
            let pieceWaiter = action.isForWaiter ? state.pieceWaiter.take() : nil
            let rest = update.isOver && state.machine.ended(update.failure) ? state.takeWaiters() : nil
            return (action, Waiters(head: headWaiter, piece: pieceWaiter), rest)
        }
        if let head = update.head { waiters.head?.resume(returning: .success(head)) }
        switch action {
        case .deliver(let piece): waiters.piece?.resume(returning: .success(piece))
        case .fail(let failure): waiters.piece?.resume(returning: .failure(failure))
        case .buffer, .pause, .stop: break
        }
        rest?.end(update.failure)
        return action
    }

    // MARK: Consumer

    private func head() async throws(TransportError) -> ResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { awaitHead($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func pull() async throws(TransportError) -> Data? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { awaitPiece($0) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Waits for the head. Returns a response whose body reads from this channel.
    package func response() async throws(TransportError) -> TransportResponse {
        let head = try await head()
        let body = TransportBody(
            pull: { () async throws(TransportError) in try await self.pull() }, discard: { self.discard() },
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
