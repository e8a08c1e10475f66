import ImageCore

/// The waiting and running work of each lane, and the limits.
struct ExpectedLanes: Sendable {
    struct Work: Sendable {
        var lane: WorkLane
        var server: String?
        var priority: LivePriority
        /// Nil if no operation was in progress.
        var operation: OperationID?
        var isPreview: Bool
    }

    private struct Limit: Sendable {
        var value: Int
        /// The limit, or the amount of work that ran when it was lowered, while it runs.
        var allowed: Int
    }

    static let perServerLimit = 2
    private(set) var waiting: [CallID: Work] = [:]
    /// Calls that were cancelled while they waited and have not returned.
    private(set) var cancelledCalls: Set<CallID> = []
    private var running: [CallID: Work] = [:]
    private var limits: [WorkLane: Limit] = [:]
    private var order = StartOrder()

    var runningCount: Int { running.count }
    var isEmpty: Bool { waiting.isEmpty && running.isEmpty && cancelledCalls.isEmpty }

    mutating func setLimit(_ limit: Int, of lane: WorkLane) {
        limits[lane] = Limit(value: limit, allowed: max(limit, runningCount(in: lane)))
    }

    // MARK: Calls of the scheduler

    mutating func enqueued(_ id: CallID, _ work: Work) {
        waiting[id] = work
        order.enqueued(id, work)
    }

    mutating func started(_ id: CallID) -> Violation? {
        guard let work = waiting.removeValue(forKey: id) else {
            return Violation(.cancelledNeverRuns, "work starts that was not waiting")
        }
        running[id] = work
        order.started(id)
        return violationOfLimits(of: work)
    }

    mutating func ended(_ id: CallID) {
        guard let lane = running.removeValue(forKey: id)?.lane, let limit = limits[lane]?.value else { return }
        setLimit(limit, of: lane)
    }

    mutating func cancelled(_ id: CallID) {
        guard waiting.removeValue(forKey: id) != nil else { return }
        order.removed(id)
        cancelledCalls.insert(id)
    }

    mutating func returned(_ id: CallID) {
        waiting[id] = nil
        order.removed(id)
        cancelledCalls.remove(id)
    }

    // MARK: Checks

    mutating func violationOfOrder(_ moment: ExpectedState.Moment) -> Violation? {
        order.readPriorities()
        return moment.chosenWorkHasStarted ? order.violation() : nil
    }

    private func violationOfLimits(of work: Work) -> Violation? {
        let (count, allowed) = (runningCount(in: work.lane), limits[work.lane]?.allowed ?? 0)
        if count > allowed {
            return Violation(.limits, "\(count) run in lane \(work.lane.rawValue), allowed \(allowed)")
        }
        guard let server = work.server else { return nil }
        let serverCount = running.values.count { $0.lane == work.lane && $0.server == server }
        return serverCount > Self.perServerLimit ? Violation(.limits, "\(serverCount) run for \(server)") : nil
    }

    private func runningCount(in lane: WorkLane) -> Int { running.values.count { $0.lane == lane } }
}
