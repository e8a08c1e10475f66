import ImageCore
import Synchronization

/// Work in a scheduler's lanes, for whoever waits for it in a task.
///
/// No extension of the port: what is generic there is not specialised for those who have `any` scheduler.
struct Lanes: Sendable {
    let scheduler: any WorkScheduler

    /// Runs `body` in the calling task while holding a place in `lane`.
    func withSlot<Value: Sendable>(
        in lane: WorkLane, host: String?, for work: any SharedWork, body: () async throws -> Value
    ) async throws -> Value {
        let place = Answer<Void>()
        let reservation = scheduler.reserve(WorkPlace(lane: lane, priority: work.priority, host: host)) { place.give() }
        if reservation.isGranted { place.give() } else { follow(work, with: reservation.id) }
        // The scheduler is told also when work is cancelled that runs: its start was in vain.
        return try await withTaskCancellationHandler {
            defer { reservation.release() }
            if !reservation.isGranted { try await place.value() }
            try Task.checkCancellation()
            return try await body()
        } onCancel: {
            if scheduler.cancel(reservation.id) { place.cancel() }
        }
    }

    /// Runs synchronous, processor-bound `body` in the lane's own task. `body` is given a flag to ask whether to stop.
    func perform<Value: Sendable>(
        in lane: WorkLane, for work: any SharedWork,
        body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let (outcome, isCancelled) = (Answer<Value>(), Flag())
        let id = scheduler.enqueue(
            ScheduledWork(lane: lane, priority: work.priority) {
                outcome.give(Result { try body { isCancelled.isSet } })
            })
        follow(work, with: id)
        return try await withTaskCancellationHandler {
            try await outcome.value()
        } onCancel: {
            isCancelled.set()
            if scheduler.cancel(id) { outcome.cancel() }
        }
    }

    /// Keeps the queued work at the priority of those who wait for it, beginning with the present one.
    private func follow(_ work: any SharedWork, with id: WorkID) {
        work.onPriorityChange { [scheduler] in scheduler.setPriority($0, of: id) }
    }
}

/// Set once, and asked by work that runs on other threads.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
