import ImageCore
import Synchronization

/// A lane: starts work when its state allows it.
final class Lane: Sendable {
    private struct State: Sendable {
        var work: LaneState
        /// The starts of waiting calls.
        var starts: [WorkID: OneTimeSignal] = [:]
    }

    let executor: (any TaskExecutor)?
    private let clock: (any Clock<Duration>)?
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>
    private let lastID = Atomic<WorkID>(0)

    init(_ configuration: LaneOptions, maxOvertakes: Int?) {
        executor = configuration.executor
        clock = configuration.startRate?.clock ?? configuration.stallLimit?.clock
        uptime = configuration.uptime
        state = Mutex(State(work: LaneState(configuration, maxOvertakes: maxOvertakes)))
    }

    var limit: Int { state.withLock { $0.work.limit } }
    var waitingCount: Int { state.withLock { $0.starts.count } }
    var runningCount: Int { state.withLock { $0.work.runningCount } }

    /// Occupies a slot, and returns the identifier of the work. Throws `CancellationError` if the task is cancelled while it
    /// waits.
    func waitForSlot(_ server: String?, _ priority: LivePriority) async throws -> WorkID {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let (now, work) = (uptime(), LaneWork(priority.value, server))
        if state.withLock({ $0.work.startImmediately(id, work, at: now) }) { return id }
        let observation = priority.observe { [weak self] priority in
            self?.change { $0.setPriority(priority.value, of: id, at: $1) }
        }
        defer { observation.cancel() }
        let start = OneTimeSignal()
        state.withLock { $0.starts[id] = start }
        change { $0.add(id, priority: priority.value, server: server, at: $1) }
        try await start.wait { cancel(id) }
        return id
    }

    /// Records that a transfer has moved bytes.
    func moved(_ bytes: Int, by id: WorkID) {
        let now = uptime()
        state.withLock { $0.work.moved(bytes, by: id, at: now) }
    }

    private func cancel(_ id: WorkID) {
        let start = state.withLock { state in
            state.work.cancel(id) ? state.starts.removeValue(forKey: id) : nil
        }
        start?.fail(CancellationError())
    }

    /// Applies an event and starts the work that it returns.
    func change(_ event: (inout LaneState, Duration) -> [WorkID]) {
        let now = uptime()
        let (starts, wait) = state.withLock { state in
            let starts = event(&state.work, now).compactMap { state.starts.removeValue(forKey: $0) }
            return (starts, state.work.nextWait(at: now))
        }
        for start in starts { start.send() }
        if let wait { wakeUp(after: wait) }
    }

    private func wakeUp(after wait: Duration) {
        guard let clock else { return }
        Task.detached(executorPreference: executor) { [weak self] in
            try await clock.sleep(for: wait)  // can't be cancelled, because nothing holds the task
            self?.change { $0.wakeUp(at: $1) }
        }
    }
}
