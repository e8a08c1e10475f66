public import ImageCore
import Synchronization

/// Runs work in lanes with limits: by priority, and in the order of arrival, or its reverse, within one priority.
///
/// - A host at its limit delays only its own work. Hosts are compared case-insensitively (RFC 3986, section 3.2.2).
/// - If the priority of waiting work changes, its order of arrival applies within the new priority.
/// - Work doesn't starve: after `overtakeLimit` consecutive starts that passed over the oldest work that could have
///   started, that work starts. Work behind m older items starts after at most (m + 1) × (`overtakeLimit` + 1) starts
///   of its lane, not counting items whose host is at its limit.
/// - Each operation takes O(log n) time for n waiting work items.
public final class PriorityScheduler: WorkScheduler {
    private struct State: Sendable {
        var lanes: [WorkLane: LaneState] = [:]
        /// The continuations of waiting calls.
        var continuations: [WorkID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let configurations: [WorkLane: LaneConfiguration]
    private let otherLanes: LaneConfiguration
    private let overtakeLimit: Int?
    private let state = Mutex(State())
    private let lastID = Atomic<WorkID>(0)

    /// - Parameters:
    ///   - lanes: The configurations of lanes.
    ///   - otherLanes: The configuration of each lane that is not in `lanes`.
    ///   - overtakeLimit: The number of consecutive starts in a lane that can pass over older work. With nil, work of
    ///     higher priority can starve the rest.
    public init(
        lanes: [WorkLane: LaneConfiguration], otherLanes: LaneConfiguration = LaneConfiguration(limit: 1),
        overtakeLimit: Int? = 64
    ) {
        configurations = lanes
        self.otherLanes = otherLanes
        self.overtakeLimit = overtakeLimit
    }

    /// Work that is cancelled while it runs takes a token; see ``StartRate``.
    public func run<Value: Sendable>(
        in lane: WorkLane, host: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let host = host?.lowercased()
        try await waitForSlot(in: lane, host, priority)
        return try await withTaskExecutorPreference(configuration(of: lane).executor) {
            // Frees the slot before the call returns to the caller's executor.
            defer { finished(in: lane, host, wasCancelled: Task.isCancelled) }
            try Task.checkCancellation()
            return try await work()
        }
    }

    /// Changes the limit of a lane. Running work continues. With 0, nothing starts.
    public func setLimit(_ limit: Int, of lane: WorkLane) { change(lane) { $0.setLimit(limit, at: $1) } }

    /// Suspends a lane until the next call of `resume`. Running work continues.
    public func suspend(_ lane: WorkLane) { change(lane) { $0.setSuspended(true, at: $1) } }

    /// Resumes a suspended lane.
    public func resume(_ lane: WorkLane) { change(lane) { $0.setSuspended(false, at: $1) } }

    /// The number of waiting work items in all lanes.
    public var waitingCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.waitingCount } } }

    /// The number of running work items in all lanes.
    public var runningCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.runningCount } } }

    // MARK: Waiting

    private func waitForSlot(in lane: WorkLane, _ host: String?, _ priority: LivePriority) async throws {
        if startImmediately(in: lane, host) { return }
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let observation = priority.observe { [weak self] priority in
            self?.state.withLock { $0.lanes[lane]?.setPriority(priority.value, of: id) }
        }
        defer { observation.end() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuations[id] = continuation }
                change(lane) { $0.add(id, priority: priority.value, host: host, at: $1) }
                // `onCancel` has no effect before the work was added.
                if Task.isCancelled { cancel(id, in: lane) }
            }
        } onCancel: {
            cancel(id, in: lane)
        }
    }

    private func startImmediately(in lane: WorkLane, _ host: String?) -> Bool {
        let now = configuration(of: lane).startRate?.uptime() ?? .zero
        return state.withLock { $0.lanes[lane, default: makeLane(lane)].startImmediately(host: host, at: now) }
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

    /// Applies an event to a lane and starts the work that it returns.
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
            try? await clock.sleep(for: wait)  // can't be cancelled, because nothing holds the task
            self?.change(lane) { $0.wakeUp(at: $1) }
        }
    }

    private func makeLane(_ lane: WorkLane) -> LaneState {
        LaneState(configuration(of: lane), overtakeLimit: overtakeLimit)
    }

    private func configuration(of lane: WorkLane) -> LaneConfiguration { configurations[lane] ?? otherLanes }
}
