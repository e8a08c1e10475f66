import ImageCore
import Synchronization

/// The wait for a place in a scheduler's lane.
final class LaneSlot: Sendable {
    private enum State {
        case queued
        case awaited(CheckedContinuation<Void, any Error>)
        case granted
        case cancelled
    }

    private let state = Mutex(State.queued)

    /// Returns when the place is there; throws `CancellationError` after `cancel`.
    func granted() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let answer = state.withLock { state -> Result<Void, CancellationError>? in
                switch state {
                case .queued, .awaited:
                    state = .awaited(continuation)
                    return nil
                case .granted: return .success(())
                case .cancelled: return .failure(CancellationError())
                }
            }
            if let answer { continuation.resume(with: answer) }
        }
    }

    /// The place is there.
    func grant() { end(.granted)?.resume() }

    /// There will be none.
    func cancel() { end(.cancelled)?.resume(throwing: CancellationError()) }

    /// The first end counts.
    private func end(_ end: State) -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            switch state {
            case .queued:
                state = end
                return nil
            case .awaited(let continuation):
                state = end
                return continuation
            case .granted, .cancelled: return nil
            }
        }
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
        let reservation = reserve(WorkPlace(lane: lane, priority: work.priority, host: host)) { slot.grant() }
        if reservation.isGranted { slot.grant() } else { follow(work, with: reservation.id) }
        // The scheduler is told also when work is cancelled that runs: its start was in vain.
        return try await withTaskCancellationHandler {
            defer { reservation.release() }
            if !reservation.isGranted { try await slot.granted() }
            try Task.checkCancellation()
            return try await body()
        } onCancel: {
            if cancel(reservation.id) { slot.cancel() }
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
