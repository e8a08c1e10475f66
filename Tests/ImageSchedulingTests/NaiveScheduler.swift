import ImageCore

@testable import ImageScheduling

/// The scheduler's rules in the plainest words, to compare the real state machine with: walks over everything.
struct NaiveScheduler {
    struct Waiting {
        var id: WorkID
        var lane: WorkLane
        var priority: RequestPriority
        var host: String?
    }

    let overtakeLimit: Int?
    var perHostLimit: Int?
    var limits: [WorkLane: Int]
    var order = LaneConfiguration.Order.firstInFirstOut
    private var suspended: Set<WorkLane> = []
    private(set) var waiting: [Waiting] = []
    private(set) var running: [Waiting] = []
    private var overtakes: [WorkLane: Int] = [:]

    init(overtakeLimit: Int?, perHostLimit: Int?, limits: [WorkLane: Int]) {
        self.overtakeLimit = overtakeLimit
        self.perHostLimit = perHostLimit
        self.limits = limits
    }

    func runningCount(in lane: WorkLane, host: String? = nil) -> Int {
        running.count { $0.lane == lane && (host == nil || $0.host == host) }
    }

    mutating func add(_ work: Waiting) -> [WorkID] {
        waiting.append(work)
        return startAll(in: work.lane)
    }

    mutating func finish(_ id: WorkID) -> [WorkID] {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return [] }
        return startAll(in: running.remove(at: index).lane)
    }

    mutating func cancel(_ id: WorkID) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
        let lane = waiting[index].lane
        if id == startable(in: lane).first?.id { overtakes[lane] = 0 }
        waiting.remove(at: index)
        return true
    }

    mutating func reprioritise(_ id: WorkID, to priority: RequestPriority) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting[index].priority = priority
    }

    mutating func setLimit(_ limit: Int, of lane: WorkLane) -> [WorkID] {
        limits[lane] = limit
        return startAll(in: lane)
    }

    mutating func suspend(_ lane: WorkLane) { suspended.insert(lane) }

    mutating func resume(_ lane: WorkLane) -> [WorkID] {
        suspended.remove(lane)
        return startAll(in: lane)
    }

    private mutating func startAll(in lane: WorkLane) -> [WorkID] {
        var starts: [WorkID] = []
        if suspended.contains(lane) { return [] }
        while runningCount(in: lane) < limits[lane, default: 1], let next = next(in: lane) {
            waiting.removeAll { $0.id == next.id }
            running.append(next)
            starts.append(next.id)
        }
        return starts
    }

    private mutating func next(in lane: WorkLane) -> Waiting? {
        let startable = startable(in: lane)
        guard let oldest = startable.first, let highest = startable.map(\.priority).max() else { return nil }
        let equals = startable.filter { $0.priority == highest }
        let best = (order == .firstInFirstOut ? equals.first : equals.last) ?? oldest
        let chosen = overtakeLimit.map { overtakes[lane, default: 0] >= $0 } == true ? oldest : best
        overtakes[lane] = chosen.id == oldest.id ? 0 : overtakes[lane, default: 0] + 1
        return chosen
    }

    /// The oldest first.
    private func startable(in lane: WorkLane) -> [Waiting] {
        waiting.filter { $0.lane == lane && isOpen($0) }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private func isOpen(_ work: Waiting) -> Bool {
        guard let host = work.host, let perHostLimit else { return true }
        return runningCount(in: work.lane, host: host) < perHostLimit
    }
}
