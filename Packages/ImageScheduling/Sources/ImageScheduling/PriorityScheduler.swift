public import ImageCore
import Synchronization

/// Runs work in bounded lanes: higher priority first, first come first served within one priority.
///
/// - A host at its limit holds back its own work only; other hosts' work goes past it.
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

    private let core: Mutex<Core>
    private let lanes: [WorkLane: LaneConfiguration]
    private let otherLanes: LaneConfiguration

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
        self.core = Mutex(Core(state: SchedulerState(lanes: lanes, fallback: otherLanes, overtakeLimit: overtakeLimit)))
    }

    public func enqueue(_ work: ScheduledWork) -> WorkID {
        let (id, starts) = core.withLock { core -> (WorkID, [Start]) in
            let (id, starts) = core.state.enqueued(in: work.lane, priority: work.priority, host: work.host)
            core.works[id] = work
            return (id, Self.take(starts, from: &core))
        }
        run(starts)
        return id
    }

    public func setPriority(_ priority: RequestPriority, of id: WorkID) {
        core.withLock { $0.state.reprioritised(id, to: priority) }
    }

    @discardableResult
    public func cancel(_ id: WorkID) -> Bool {
        // The closure is let go after the lock: what it held may run code when it goes.
        let cancelled = core.withLock { core -> ScheduledWork? in
            core.state.cancelled(id) ? core.works.removeValue(forKey: id) : nil
        }
        return cancelled != nil
    }

    /// Changes how many pieces of work a lane runs at once, from now on. Work that runs is left to end; 0 holds the lane.
    public func setLimit(_ limit: Int, of lane: WorkLane) {
        run(core.withLock { core in Self.take(core.state.limitChanged(of: lane, to: limit), from: &core) })
    }

    /// How many pieces of work wait, in all lanes.
    public var waitingCount: Int { core.withLock { $0.state.waitingCount } }

    /// How many pieces of work run, in all lanes.
    public var runningCount: Int { core.withLock { $0.state.runningCount } }

    private static func take(_ ids: [WorkID], from core: inout Core) -> [Start] {
        ids.compactMap { id in core.works.removeValue(forKey: id).map { Start(id: id, work: $0) } }
    }

    private func run(_ starts: [Start]) {
        for start in starts {
            let executor = (lanes[start.work.lane] ?? otherLanes).executor
            Task.detached(executorPreference: executor) {
                await start.work.run()
                self.finish(start.id)
            }
        }
    }

    private func finish(_ id: WorkID) {
        run(core.withLock { core in Self.take(core.state.finished(id), from: &core) })
    }
}
