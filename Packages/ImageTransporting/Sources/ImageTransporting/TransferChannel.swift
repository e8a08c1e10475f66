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

    /// What an engine has found out since it told last.
    package struct News {
        package var head: ResponseHead?
        package var piece = Data()
        package var isOver = false
        /// Why it is over, unless it is over well.
        package var failure: TransportFailure?

        package init() {}

        package var isEmpty: Bool { head == nil && piece.isEmpty && !isOver }
    }

    package func headArrived(_ head: ResponseHead) {
        var news = News()
        news.head = head
        tell(news)
    }

    /// What the engine is to do about a piece of the body.
    package func arrived(_ piece: Data) -> TransferMachine.Arrival {
        var news = News()
        news.piece = piece
        return tell(news)
    }

    package func ended(_ failure: TransportFailure?) {
        var news = News()
        (news.isOver, news.failure) = (true, failure)
        tell(news)
    }

    /// Tells everything at once, so that a consumer is woken once for all of it. Returns what the engine is to do about the piece.
    @discardableResult
    package func tell(_ news: News) -> TransferMachine.Arrival {
        let (arrival, waiters, rest) = state.withLock { state in
            let headWaiter = news.head.flatMap { state.machine.headArrived($0) ? state.takeHeadWaiter() : nil }
            let arrival = news.piece.isEmpty ? .keep : state.machine.arrived(news.piece)
            let pieceWaiter = arrival.isForWaiter ? state.takePieceWaiter() : nil
            let rest = news.isOver && state.machine.ended(news.failure) ? state.takeWaiters() : nil
            return (arrival, Waiters(head: headWaiter, piece: pieceWaiter), rest)
        }
        if let head = news.head { waiters.head?.resume(returning: .success(head)) }
        switch arrival {
        case .deliver(let piece): waiters.piece?.resume(returning: .success(piece))
        case .fail(let failure): waiters.piece?.resume(returning: .failure(failure))
        case .keep, .pause, .stop: break
        }
        rest?.end(news.failure)
        return arrival
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
