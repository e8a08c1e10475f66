import ImageCore
import Synchronization

/// Does one thing in a lane again and again, one at a time: asked more often than it can, it does it once for all.
///
/// So at most one piece of its work waits or runs, however fast the asking.
final class LaneRepeater: Sendable {
    private struct State {
        /// One piece of work waits or runs.
        var isBusy = false
        var isAskedAgain = false
        var isClosed = false
        var id: WorkID?
    }

    private let state = Mutex(State())
    private let scheduler: any WorkScheduler
    private let lane: WorkLane
    private let priority: @Sendable () -> RequestPriority
    private let step: @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) async -> Void

    /// - Parameters:
    ///   - priority: asked each time the work is enqueued.
    ///   - step: the work. Never called again once it was called after `close`; asked whether to stop.
    init(
        _ scheduler: any WorkScheduler, in lane: WorkLane, priority: @escaping @Sendable () -> RequestPriority,
        step: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) async -> Void
    ) {
        self.scheduler = scheduler
        self.lane = lane
        self.priority = priority
        self.step = step
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Has it done, unless it is going to be.
    func ask() {
        let begins = state.withLock { state in
            if state.isClosed { return false }
            defer { state.isBusy = true }
            if state.isBusy { state.isAskedAgain = true }
            return !state.isBusy
        }
        if begins { enqueue() }
    }

    /// What waits never runs; what runs is told to stop.
    func close() {
        let id = state.withLock { state in
            state.isClosed = true
            return state.id
        }
        if let id { scheduler.cancel(id) }
    }

    private func enqueue() {
        let id = scheduler.enqueue(ScheduledWork(lane: lane, priority: priority()) { await self.run() })
        let isClosed = state.withLock { state in
            state.id = id
            return state.isClosed
        }
        if isClosed { scheduler.cancel(id) }
    }

    private func run() async {
        let isWanted = state.withLock { state in
            state.isAskedAgain = false
            return !state.isClosed
        }
        guard isWanted else { return }
        await step { self.isClosed }
        let again = state.withLock { state in
            state.isBusy = state.isAskedAgain
            return state.isAskedAgain && !state.isClosed
        }
        if again { enqueue() }
    }
}
