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
/// Work runs in a detached task, all at the same task priority: the order is decided here, not by the threads' scheduler. Who
/// has a place reserved makes no task; whoever frees it calls the next one's `onGrant`, on its own thread.
public final class PriorityScheduler: WorkScheduler {
    private enum Start: Sendable {
        case run(@Sendable () async -> Void)
        case grant(@Sendable () -> Void)
    }

    private struct Core: Sendable {
        var state: SchedulerState
        /// Of work that waits.
        var starts: [WorkID: Start] = [:]
    }

    /// What an event leads to once the lock is free.
    private struct Effects: Sendable {
        var starts: [(id: WorkID, start: Start)] = []
        /// After what time to look again whether the lane's rate lets something start.
        var nextLook: Duration?
    }

    private struct Lane: Sendable {
        let name: WorkLane?
        let executor: (any TaskExecutor)?
        let rateClock: (any Clock<Duration>)?
        /// The time since the scheduler was made, on the clock of the lane's rate; nil without a rate.
        let uptime: (@Sendable () -> Duration)?

        init(_ name: WorkLane?, _ configuration: LaneConfiguration) {
            self.name = name
            executor = configuration.executor
            rateClock = configuration.startRate?.clock
            uptime = rateClock.map { stopwatch($0) }
        }
    }

    private let core: Mutex<Core>
    /// The known ones, then what stands for all others. Few, and asked for by each work several times: their short names are compared
    /// in less time than one of them is hashed.
    private let lanes: [Lane]

    /// - Parameters:
    ///   - lanes: the lanes that are known beforehand.
    ///   - otherLanes: how any other lane is set up, each on its own, when its first work comes.
    ///   - overtakeLimit: how many starts in a row may pass over older work in a lane; nil lets work of higher priority
    ///     starve the rest.
    public init(
        lanes: [WorkLane: LaneConfiguration], otherLanes: LaneConfiguration = LaneConfiguration(limit: 1),
        overtakeLimit: Int? = 64
    ) {
        self.lanes = lanes.map { Lane($0, $1) } + [Lane(nil, otherLanes)]
        self.core = Mutex(Core(state: SchedulerState(lanes: lanes, fallback: otherLanes, overtakeLimit: overtakeLimit)))
    }

    public func enqueue(_ work: ScheduledWork) -> WorkID {
        let (id, starts) = add(work.lane, work.priority, work.host, .run(work.run))
        if starts { run(work.run, as: id, in: work.lane) }
        return id
    }

    public func reserve(_ place: WorkPlace, onGrant: @escaping @Sendable () -> Void) -> Reservation {
        let (id, starts) = add(place.lane, place.priority, place.host, .grant(onGrant))
        let executor = lanes[index(of: place.lane)].executor
        return Reservation(id: id, isGranted: starts, executor: executor) { self.finished(id, in: place.lane) }
    }

    /// True when the new work starts now, which is for the caller to do.
    private func add(_ lane: WorkLane, _ priority: RequestPriority, _ host: String?, _ start: Start) -> (WorkID, Bool) {
        let now = now(in: lane)
        let host = host.map(lowercased)
        let (id, startsAtOnce, effects) = core.withLock { core in
            if let id = core.state.startedAtOnce(in: lane, host: host, at: now) { return (id, true, Effects()) }
            let (id, starts) = core.state.enqueued(in: lane, priority: priority, host: host, at: now)
            let startsAtOnce = starts.contains(id)
            if !startsAtOnce { core.starts[id] = start }
            return (id, startsAtOnce, Self.effects(of: starts, in: lane, at: now, &core))
        }
        perform(effects, in: lane)  // of older work
        return (id, startsAtOnce)
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
        let cancelled = core.withLock { core -> Start? in
            core.state.cancelled(id, at: now) ? core.starts.removeValue(forKey: id) : nil
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
        if starts.isEmpty, !core.state.isWaiting { return Effects() }
        let starts = starts.compactMap { id in core.starts.removeValue(forKey: id).map { (id, $0) } }
        return Effects(starts: starts, nextLook: core.state.nextLook(in: lane, at: now))
    }

    private func perform(_ effects: Effects, in lane: WorkLane) {
        for (id, start) in effects.starts {
            switch start {
            case .run(let work): run(work, as: id, in: lane)
            case .grant(let onGrant): onGrant()
            }
        }
        if let wait = effects.nextLook { lookAgain(in: lane, after: wait) }
    }

    private func run(_ work: @escaping @Sendable () async -> Void, as id: WorkID, in lane: WorkLane) {
        // A task that is told of no executor, not even of none, need not ask for one under a lock at each call.
        guard let executor = lanes[index(of: lane)].executor else {
            Task.detached { await self.carryOut(work, id, lane) }
            return
        }
        Task.detached(executorPreference: executor) { await self.carryOut(work, id, lane) }
    }

    private func carryOut(_ work: @Sendable () async -> Void, _ id: WorkID, _ lane: WorkLane) async {
        await work()
        finished(id, in: lane)
    }

    private func finished(_ id: WorkID, in lane: WorkLane) {
        change(lane) { state, now in state.finished(id, at: now) }
    }

    private func lookAgain(in lane: WorkLane, after wait: Duration) {
        let lookedAt = lanes[index(of: lane)]
        guard let clock = lookedAt.rateClock else { return }
        Task.detached(executorPreference: lookedAt.executor) { [weak self] in
            try? await clock.sleep(for: wait)  // nobody has the task, so nobody cancels it
            self?.change(lane) { state, now in state.looksAgain(in: lane, at: now) }
        }
    }

    /// A loop: `firstIndex` would copy each lane that it looks at.
    private func index(of lane: WorkLane) -> Int {
        for index in lanes.indices where lanes[index].name == lane { return index }
        return lanes.count - 1
    }

    private func now(in lane: WorkLane) -> Duration { lanes[index(of: lane)].uptime?() ?? .zero }
}

/// A copy only where there is something to change.
private func lowercased(_ host: String) -> String {
    // The bytes in one piece: a string's own view costs several times as much a byte.
    let isLower = unsafe host.utf8.withContiguousStorageIfAvailable { bytes in
        unsafe bytes.allSatisfy { !(0x41...0x5A).contains($0) && $0 < 0x80 }
    }
    return isLower == true ? host : host.lowercased()
}
