import ImageCore
import Synchronization

/// A place in a scheduler's lane, held by a task of its own until released.
///
/// The scheduler's closure waits in `hold`; the task that does the work waits in `granted`. So the work itself runs in the
/// task that asked, where cancellation reaches it.
final class LaneSlot: Sendable {
    private enum State {
        case queued
        case awaited(CheckedContinuation<Void, any Error>)
        case granted
        case held(CheckedContinuation<Void, Never>)
        case released
        case cancelled
    }

    private enum Answer {
        case waits, granted, cancelled
    }

    private let state = Mutex(State.queued)

    /// Returns when the place is free for the caller; throws `CancellationError` after `cancel`.
    func granted() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let answer = state.withLock { state -> Answer in
                switch state {
                case .queued:
                    state = .awaited(continuation)
                    return .waits
                case .cancelled: return .cancelled
                default: return .granted
                }
            }
            switch answer {
            case .waits: break
            case .granted: continuation.resume()
            case .cancelled: continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Grants the place, and returns when it is released: the closure that the scheduler runs.
    func hold() async {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard case .awaited(let continuation) = state else {
                if case .queued = state { state = .granted }
                return nil
            }
            state = .granted
            return continuation
        }
        waiting?.resume()
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard case .granted = state else { return true }
                state = .held(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Gives the place back.
    func release() {
        let holder = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .released }
            guard case .held(let continuation) = state else { return nil }
            return continuation
        }
        holder?.resume()
    }

    /// Ends the wait of a slot whose closure will never run.
    func cancel() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .cancelled }
            guard case .awaited(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume(throwing: CancellationError())
    }
}

/// The answer of processor-bound work that runs in a scheduler's own task, and the flag that tells it to stop.
final class LaneOutcome<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
        case delivered
    }

    private let state = Mutex(State.pending)
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                if case .finished(let result) = state {
                    state = .delivered
                    return result
                }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// The first answer counts; later ones are dropped.
    func finish(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .pending:
                state = .finished(result)
                return nil
            case .awaited(let continuation):
                state = .delivered
                return continuation
            case .finished, .delivered: return nil
            }
        }
        waiting?.resume(with: result)
    }
}

extension WorkScheduler {
    /// Runs `body` in the calling task while holding a place in `lane`.
    func withSlot<Value: Sendable>(
        in lane: WorkLane, host: String?, for work: any SharedWork, body: () async throws -> Value
    ) async throws -> Value {
        let slot = LaneSlot()
        let id = enqueue(ScheduledWork(lane: lane, priority: work.priority, host: host) { await slot.hold() })
        follow(work, with: id)
        // The scheduler is told also when work is cancelled that runs: its start was in vain.
        return try await withTaskCancellationHandler {
            try await slot.granted()
            defer { slot.release() }
            try Task.checkCancellation()
            return try await body()
        } onCancel: {
            if cancel(id) { slot.cancel() }
        }
    }

    /// Runs synchronous, processor-bound `body` in the lane's own task. `body` is given a flag to ask whether to stop.
    func perform<Value: Sendable>(
        in lane: WorkLane, for work: any SharedWork,
        body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let outcome = LaneOutcome<Value>()
        let id = enqueue(
            ScheduledWork(lane: lane, priority: work.priority) {
                outcome.finish(Result { try body { outcome.isCancelled } })
            })
        follow(work, with: id)
        return try await withTaskCancellationHandler {
            try await outcome.value()
        } onCancel: {
            outcome.cancel()
            if cancel(id) { outcome.finish(.failure(CancellationError())) }
        }
    }

    /// Keeps the queued work at the priority of those who wait for it, beginning with the present one.
    private func follow(_ work: any SharedWork, with id: WorkID) {
        work.onPriorityChange { setPriority($0, of: id) }
    }
}
