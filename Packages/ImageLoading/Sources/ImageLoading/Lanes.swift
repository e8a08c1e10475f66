import ImageCore
import Synchronization

/// Work in a scheduler's lanes, for whoever waits for it in a task.
///
/// No extension of the port: what is generic there is not specialised for those who have `any` scheduler.
struct Lanes: Sendable {
    let scheduler: any WorkScheduler

    /// Runs `body` in the calling task while holding a place in `lane`, on the lane's threads.
    ///
    /// - Parameter onCancel: called when the task is cancelled, then or before.
    nonisolated(nonsending) func withSlot<Value: Sendable>(
        in lane: WorkLane, host: String?, for work: any SharedWork, body: () async throws -> Value,
        onCancel: @Sendable () -> Void = {}
    ) async throws -> Value {
        let place = Permission()
        let reservation = scheduler.reserve(WorkPlace(lane: lane, priority: work.priority, host: host)) { place.give() }
        if !reservation.isGranted { follow(work, with: reservation.id) }
        // The scheduler is told also when work is cancelled that runs: its start was in vain.
        return try await withTaskCancellationHandler {
            if !reservation.isGranted {
                do { _ = try await place.value() } catch {
                    reservation.release()
                    throw error
                }
            }
            guard let executor = reservation.executor else { return try await Self.hold(reservation, body) }
            return try await withTaskExecutorPreference(executor) { try await Self.hold(reservation, body) }
        } onCancel: {
            onCancel()
            if scheduler.cancel(reservation.id) { place.cancel() }
        }
    }

    /// The place is given back where it was held: the next to hold it need not wait for the way back to the caller's threads.
    private nonisolated(nonsending) static func hold<Value: Sendable>(
        _ place: Reservation, _ body: () async throws -> Value
    ) async throws -> Value {
        defer { place.release() }
        try Task.checkCancellation()
        return try await body()
    }

    /// Runs synchronous, processor-bound `body`. It is given a flag to ask whether to stop, from whatever thread.
    nonisolated(nonsending) func perform<Value: Sendable>(
        in lane: WorkLane, for work: any SharedWork,
        body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let isCancelled = Flag()
        WorkTask.current?.onEarlyCancel { isCancelled.set() }
        return try await withSlot(in: lane, host: nil, for: work) {
            try body { isCancelled.isSet }
        } onCancel: {
            isCancelled.set()
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
