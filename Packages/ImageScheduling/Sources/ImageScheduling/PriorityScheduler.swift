public import ImageCore
import Synchronization

/// Runs work in bounded lanes: higher priority first, and in order of arrival, or its reverse, within one priority.
///
/// - A host at its limit holds back its own work only. Hosts are compared without regard to case (RFC 3986, 3.2.2).
/// - Work whose priority changes keeps its turn by arrival among the work of its new priority.
/// - **No starvation**: when `overtakeLimit` starts in a row have passed over the oldest work that could have started, the
///   next start takes that work, whatever its priority. So work with m older ones before it starts after at most
///   (m + 1) × (`overtakeLimit` + 1) starts of its lane, without those of hosts at their limit. The rule counts starts and
///   reads no clock.
/// - Each operation costs O(log n) in the number of works that wait.
public final class PriorityScheduler: WorkScheduler {
    private struct State: Sendable {
        var lanes: [WorkLane: LaneState] = [:]
        var lastID: WorkID = 0
        /// Of work that waits.
        var continuations: [WorkID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let configurations: [WorkLane: LaneConfiguration]
    private let otherLanes: LaneConfiguration
    private let overtakeLimit: Int?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - lanes: The lanes that are known beforehand.
    ///   - otherLanes: The configuration of each other lane.
    ///   - overtakeLimit: How many starts in a row may pass over older work in a lane. With nil, work of higher priority can
    ///     starve the rest.
    public init(
        lanes: [WorkLane: LaneConfiguration], otherLanes: LaneConfiguration = LaneConfiguration(limit: 1),
        overtakeLimit: Int? = 64
    ) {
        configurations = lanes
        self.otherLanes = otherLanes
        self.overtakeLimit = overtakeLimit
    }

    /// Work that is cancelled while it runs counts as started in vain; see ``StartRate``.
    public func run<Value: Sendable>(
        in lane: WorkLane, host: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let host = host?.lowercased()
        try await waitForSlot(in: lane, host, priority)
        guard let executor = executor(of: lane) else { return try await runInSlot(of: lane, host, work) }
        return try await withTaskExecutorPreference(executor) { try await runInSlot(of: lane, host, work) }
    }

    /// Releases the slot on the lane's threads, so that the next work need not wait for the way back.
    private func runInSlot<Value: Sendable>(
        of lane: WorkLane, _ host: String?, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { finished(in: lane, host, wasCancelled: Task.isCancelled) }
        try Task.checkCancellation()
        return try await work()
    }

    /// Changes how many works a lane runs at once. Running work is not affected; 0 holds the lane.
    public func setLimit(_ limit: Int, of lane: WorkLane) { change(lane) { $0.setLimit(limit, at: $1) } }

    /// Starts nothing in a lane until it is resumed, however often it was suspended. Running work is not affected.
    public func suspend(_ lane: WorkLane) { change(lane) { $0.setSuspended(true, at: $1) } }

    public func resume(_ lane: WorkLane) { change(lane) { $0.setSuspended(false, at: $1) } }

    /// How much work waits, in all lanes.
    public var waitingCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.waitingCount } } }

    /// How much work runs, in all lanes.
    public var runningCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.runningCount } } }

    // MARK: Waiting

    private func waitForSlot(in lane: WorkLane, _ host: String?, _ priority: LivePriority) async throws {
        if startAtOnce(in: lane, host) { return }
        let id = makeID()
        let observation = priority.observe { [weak self] priority in
            self?.state.withLock { $0.lanes[lane]?.setPriority(priority.value, of: id) }
        }
        defer { observation.end() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuations[id] = continuation }
                change(lane) { $0.add(id, priority: priority.value, host: host, at: $1) }
                // A cancellation before the work was added has found nothing to cancel.
                if Task.isCancelled { cancel(id, in: lane) }
            }
        } onCancel: {
            cancel(id, in: lane)
        }
    }

    private func startAtOnce(in lane: WorkLane, _ host: String?) -> Bool {
        let now = configuration(of: lane).startRate?.uptime() ?? .zero
        return state.withLock { $0.lanes[lane, default: makeLane(lane)].startAtOnce(host: host, at: now) }
    }

    private func makeID() -> WorkID {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func cancel(_ id: WorkID, in lane: WorkLane) {
        let continuation = state.withLock { state in
            state.lanes[lane]?.cancel(id) == true ? state.continuations.removeValue(forKey: id) : nil
        }
        continuation?.resume(throwing: CancellationError())
    }

    private func finished(in lane: WorkLane, _ host: String?, wasCancelled: Bool) {
        change(lane) { $0.finish(host: host, wasCancelled: wasCancelled, at: $1) }
    }

    /// Applies an event to a lane, which returns the work that starts now.
    private func change(_ lane: WorkLane, _ event: (inout LaneState, Duration) -> [WorkID]) {
        let now = configuration(of: lane).startRate?.uptime() ?? .zero
        let (starts, wait) = state.withLock { state in
            let starts = event(&state.lanes[lane, default: makeLane(lane)], now)
            let continuations = starts.compactMap { state.continuations.removeValue(forKey: $0) }
            return (continuations, state.lanes[lane]?.nextWait(at: now))
        }
        for continuation in starts { continuation.resume() }
        if let wait { wakeUp(lane, after: wait) }
    }

    private func wakeUp(_ lane: WorkLane, after wait: Duration) {
        guard let clock = configuration(of: lane).startRate?.clock else { return }
        Task.detached(executorPreference: configuration(of: lane).executor) { [weak self] in
            try? await clock.sleep(for: wait)  // nobody holds the task, so nobody cancels it
            self?.change(lane) { $0.wakeUp(at: $1) }
        }
    }

    private func makeLane(_ lane: WorkLane) -> LaneState {
        LaneState(configuration(of: lane), overtakeLimit: overtakeLimit)
    }

    private func executor(of lane: WorkLane) -> (any TaskExecutor)? { configuration(of: lane).executor }

    private func configuration(of lane: WorkLane) -> LaneConfiguration { configurations[lane] ?? otherLanes }
}
