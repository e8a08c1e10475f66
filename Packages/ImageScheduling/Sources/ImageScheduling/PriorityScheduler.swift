public import ImageCore
import Synchronization

/// Runs work in bounded lanes: higher priority first, and first come first served within one priority, or last come.
///
/// - A host at its limit holds back its own work only; other hosts' work goes past it. Hosts are the same in whatever case they are
///   written (RFC 3986, 3.2.2).
/// - Work whose priority changes keeps its turn by arrival among the work of its new priority.
/// - **No starvation**: when `overtakeLimit` starts in a row have passed over the oldest work that could have started, the
///   next start takes that oldest work, whatever its priority. So work with m older ones before it starts at the latest
///   after (m + 1) × (`overtakeLimit` + 1) starts of its lane (those of full hosts not counted). The rule counts starts and
///   reads no clock: the same events give the same order. With fewer starts than that, priority is strict.
/// - Each operation costs O(log n) in the number of waiting works.
///
/// Work runs in a detached task, all at the same task priority: the order is decided here, not by the threads' scheduler.
public final class PriorityScheduler: WorkScheduler {
    private struct Core: Sendable {
        var state: SchedulerState
        var works: [WorkID: ScheduledWork] = [:]
    }

    private struct Start: Sendable {
        var id: WorkID
        var work: ScheduledWork
    }

    /// What an event leads to once the lock is free.
    private struct Effects: Sendable {
        var starts: [Start] = []
        /// After what time to look again whether the lane's rate lets something start.
        var nextLook: Duration?
    }

    private let core: Mutex<Core>
    private let lanes: [WorkLane: LaneConfiguration]
    private let otherLanes: LaneConfiguration
    /// The time since this scheduler was made, on the clocks of lanes with a rate; nil stands for the other lanes.
    private let uptimes: [WorkLane?: @Sendable () -> Duration]

    /// - Parameters:
    ///   - lanes: the lanes that are known beforehand.
    ///   - otherLanes: how any other lane is set up, each on its own, when its first work comes.
    ///   - overtakeLimit: how many starts in a row may pass over older work in a lane; nil lets work of higher priority
    ///     starve the rest.
    public init(
        lanes: [WorkLane: LaneConfiguration], otherLanes: LaneConfiguration = LaneConfiguration(limit: 1),
        overtakeLimit: Int? = 64
    ) {
        self.lanes = lanes
        self.otherLanes = otherLanes
        var clocks: [WorkLane?: (any Clock<Duration>)?] = lanes.mapValues { $0.startRate?.clock }
        clocks[nil] = otherLanes.startRate?.clock
        self.uptimes = clocks.compactMapValues { $0.map(stopwatch) }
        self.core = Mutex(Core(state: SchedulerState(lanes: lanes, fallback: otherLanes, overtakeLimit: overtakeLimit)))
    }

    public func enqueue(_ work: ScheduledWork) -> WorkID {
        let now = now(in: work.lane)
        let host = work.host?.lowercased()
        let (id, effects) = core.withLock { core -> (WorkID, Effects) in
            let (id, starts) = core.state.enqueued(in: work.lane, priority: work.priority, host: host, at: now)
            core.works[id] = work
            return (id, Self.effects(of: starts, in: work.lane, at: now, &core))
        }
        perform(effects, in: work.lane)
        return id
    }

    public func setPriority(_ priority: RequestPriority, of id: WorkID) {
        core.withLock { $0.state.reprioritised(id, to: priority) }
    }

    /// Work that runs is not stopped by this, but counts as started in vain: see `StartRate`.
    @discardableResult
    public func cancel(_ id: WorkID) -> Bool {
        guard let lane = core.withLock({ $0.state.lane(of: id) }) else { return false }
        let now = now(in: lane)
        // The closure is let go after the lock: what it held may run code when it goes.
        let cancelled = core.withLock { core -> ScheduledWork? in
            core.state.cancelled(id, at: now) ? core.works.removeValue(forKey: id) : nil
        }
        return cancelled != nil
    }

    /// Changes how many pieces of work a lane runs at once, from now on. Work that runs is left to end; 0 holds the lane.
    public func setLimit(_ limit: Int, of lane: WorkLane) {
        change(lane) { state, now in state.limitChanged(of: lane, to: limit, at: now) }
    }

    /// Starts nothing in a lane until it is resumed, however often it was suspended. Work that runs goes on.
    public func suspend(_ lane: WorkLane) { core.withLock { $0.state.suspended(lane) } }

    public func resume(_ lane: WorkLane) { change(lane) { state, now in state.resumed(lane, at: now) } }

    /// How many pieces of work wait, in all lanes.
    public var waitingCount: Int { core.withLock { $0.state.waitingCount } }

    /// How many pieces of work run, in all lanes.
    public var runningCount: Int { core.withLock { $0.state.runningCount } }

    private func change(_ lane: WorkLane, _ event: (inout SchedulerState, Duration) -> [WorkID]) {
        let now = now(in: lane)
        let effects = core.withLock { core in Self.effects(of: event(&core.state, now), in: lane, at: now, &core) }
        perform(effects, in: lane)
    }

    private static func effects(
        of starts: [WorkID], in lane: WorkLane, at now: Duration, _ core: inout Core
    ) -> Effects {
        let starts = starts.compactMap { id in core.works.removeValue(forKey: id).map { Start(id: id, work: $0) } }
        return Effects(starts: starts, nextLook: core.state.nextLook(in: lane, at: now))
    }

    private func perform(_ effects: Effects, in lane: WorkLane) {
        let configuration = lanes[lane] ?? otherLanes
        for start in effects.starts {
            Task.detached(executorPreference: configuration.executor) {
                await start.work.run()
                self.change(lane) { state, now in state.finished(start.id, at: now) }
            }
        }
        guard let wait = effects.nextLook, let rate = configuration.startRate else { return }
        Task.detached(executorPreference: configuration.executor) { [weak self] in
            try? await rate.clock.sleep(for: wait)  // nobody has the task, so nobody cancels it
            self?.change(lane) { state, now in state.looksAgain(in: lane, at: now) }
        }
    }

    private func now(in lane: WorkLane) -> Duration {
        if uptimes.isEmpty { return .zero }
        return uptimes[lanes[lane] == nil ? nil : lane]?() ?? .zero
    }
}

private func stopwatch(_ clock: any Clock<Duration>) -> @Sendable () -> Duration {
    func opened(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
    return opened(clock)
}
