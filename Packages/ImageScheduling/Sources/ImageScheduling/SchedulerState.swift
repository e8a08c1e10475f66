import ImageCore

/// What waits and what runs, and what may start after each event. Knows no closures, tasks or locks, and is told the time.
struct SchedulerState: Sendable {
    private struct Place: Sendable {
        /// The lane's number.
        var lane: Int
        var host: String?
        /// Whether it was cancelled while it ran.
        var isInVain = false
    }

    private let configurations: [WorkLane: LaneConfiguration]
    private let fallback: LaneConfiguration
    private let overtakeLimit: Int?
    /// By number, as are their names: few, see `PriorityScheduler`.
    private var lanes: [LaneState] = []
    private var names: [WorkLane] = []
    private var waiting: [WorkID: Place] = [:]
    private var running: [WorkID: Place] = [:]
    private var lastID: UInt64 = 0

    init(lanes: [WorkLane: LaneConfiguration], fallback: LaneConfiguration, overtakeLimit: Int?) {
        self.configurations = lanes
        self.fallback = fallback
        self.overtakeLimit = overtakeLimit
    }

    var waitingCount: Int { waiting.count }
    var runningCount: Int { running.count }

    /// Names new work that must wait in turn, and says what starts: that work after all, or older work for which a token has come back
    /// meanwhile.
    mutating func enqueued(
        in lane: WorkLane, priority: RequestPriority, host: String?, at now: Duration = .zero
    ) -> (id: WorkID, starts: [WorkID]) {
        let lane = number(of: lane)
        let id = takeID()
        waiting[id] = Place(lane: lane, host: host)
        lanes[lane].add(id, priority: priority, host: host)
        return (id, starts(in: lane, at: now))
    }

    /// Names and starts new work if it need not wait, and nothing else waits. Nil when it must be enqueued.
    mutating func startedAtOnce(in lane: WorkLane, host: String?, at now: Duration = .zero) -> WorkID? {
        let lane = number(of: lane)
        guard lanes[lane].startAtOnce(host: host, at: now) else { return nil }
        let id = takeID()
        running[id] = Place(lane: lane, host: host)
        return id
    }

    /// The work's place is free again. Work that does not run changes nothing.
    mutating func finished(_ id: WorkID, at now: Duration = .zero) -> [WorkID] {
        guard let place = running.removeValue(forKey: id) else { return [] }
        lanes[place.lane].finish(host: place.host)
        return starts(in: place.lane, at: now)
    }

    /// True when the work was waiting; it will never start. If it runs, its start was in vain.
    mutating func cancelled(_ id: WorkID, at now: Duration = .zero) -> Bool {
        guard let place = waiting.removeValue(forKey: id) else {
            if let place = running[id], !place.isInVain {
                running[id]?.isInVain = true
                lanes[place.lane].charge(at: now)
            }
            return false
        }
        lanes[place.lane].remove(id, host: place.host)
        return true
    }

    /// Moves waiting work; it keeps its turn by arrival among work of its new priority.
    mutating func reprioritised(_ id: WorkID, to priority: RequestPriority) {
        guard let place = waiting[id] else { return }
        lanes[place.lane].move(id, to: priority, host: place.host)
    }

    /// A lower limit lets running work end; a higher one starts more.
    mutating func limitChanged(of lane: WorkLane, to limit: Int, at now: Duration = .zero) -> [WorkID] {
        let lane = number(of: lane)
        lanes[lane].setLimit(limit)
        return starts(in: lane, at: now)
    }

    /// Nothing in the lane starts until it is resumed; what runs goes on.
    mutating func suspended(_ lane: WorkLane) {
        lanes[number(of: lane)].isSuspended = true
    }

    mutating func resumed(_ lane: WorkLane, at now: Duration = .zero) -> [WorkID] {
        let lane = number(of: lane)
        lanes[lane].isSuspended = false
        return starts(in: lane, at: now)
    }

    /// Nil for what neither waits nor runs.
    func lane(of id: WorkID) -> WorkLane? { (waiting[id] ?? running[id]).map { names[$0.lane] } }

    /// Whether anything waits, in any lane: if not, nothing can start and nothing need be looked at again.
    var isWaiting: Bool { !waiting.isEmpty }

    /// When to call `looksAgain`, because only a token is missing; told once for each such call.
    mutating func nextLook(in lane: WorkLane, at now: Duration) -> Duration? {
        lanes[number(of: lane)].nextLook(at: now)
    }

    mutating func looksAgain(in lane: WorkLane, at now: Duration) -> [WorkID] {
        let lane = number(of: lane)
        lanes[lane].looksAgain()
        return starts(in: lane, at: now)
    }

    private mutating func starts(in lane: Int, at now: Duration) -> [WorkID] {
        var starts: [WorkID] = []
        while let id = lanes[lane].next(at: now), let place = waiting.removeValue(forKey: id) {
            lanes[lane].start(id, host: place.host)
            running[id] = place
            starts.append(id)
        }
        return starts
    }

    private mutating func takeID() -> WorkID {
        lastID += 1
        return WorkID(rawValue: lastID)
    }

    /// The lane's number. A lane that was never named opens.
    private mutating func number(of lane: WorkLane) -> Int {
        if let number = names.firstIndex(of: lane) { return number }
        names.append(lane)
        lanes.append(LaneState(configurations[lane] ?? fallback, overtakeLimit: overtakeLimit))
        return lanes.count - 1
    }
}
