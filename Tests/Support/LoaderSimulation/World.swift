import ImageCore
import ImageTesting
import Synchronization

/// What all doubles of one simulation share: the books, the lanes, chance, and the first promise that was broken.
final class World: Sendable {
    struct State: Sendable {
        var books = Books()
        var lanes = LaneBooks()
        var random: SeededRandom
        var violation: Violation?
        /// False while nothing has changed since the last check.
        var isDirty = true
        var isInvalidated = false
    }

    let executor: SeededExecutor
    let clock = ManualClock()
    private let state: Mutex<State>

    init(seed: UInt64) {
        executor = SeededExecutor(seed: seed)
        state = Mutex(State(random: SeededRandom(seed: ~seed)))
    }

    /// Looks into the books or writes in them. Calls nothing of anyone's.
    func note<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            state.isDirty = true
            return body(&state)
        }
    }

    /// Keeps the first violation.
    func complain(_ violation: Violation) { state.withLock { $0.violation = $0.violation ?? violation } }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// Draws a number below `count`.
    func draw(_ count: Int) -> Int { state.withLock { Int.random(in: 0..<count, using: &$0.random) } }

    /// The first promise that is broken, now or earlier. The books are copied: to ask work for its priority is a call.
    func violation() -> Violation? {
        let (isDirty, violation, books) = state.withLock { state in
            defer { state.isDirty = false }
            return (state.isDirty, state.violation, state.books)
        }
        if let violation { return violation }
        guard isDirty, let violation = books.violation() else { return nil }
        complain(violation)
        return violation
    }
}

/// What runs in each lane, and what may.
struct LaneBooks: Sendable {
    private struct Lane: Sendable {
        var running = 0
        var limit: Int
        /// The limit, or as many as ran when it was lowered, as long as they run.
        var allowed: Int
        var hosts: [String: Int] = [:]
    }

    static let perHostLimit = 2
    private var lanes: [WorkLane: Lane] = [:]
    private var suspended: Set<WorkLane> = []
    /// Cancelled while it waited: must never run.
    private var cancelled: Set<WorkID> = []

    var runningCount: Int { lanes.values.reduce(0) { $0 + $1.running } }

    mutating func setLimit(_ limit: Int, of lane: WorkLane) {
        let running = lanes[lane]?.running ?? 0
        lanes[lane, default: Lane(limit: 0, allowed: 0)].limit = limit
        lanes[lane]?.allowed = max(limit, running)
    }

    mutating func setSuspended(_ isSuspended: Bool, _ lane: WorkLane) {
        if isSuspended { suspended.insert(lane) } else { suspended.remove(lane) }
    }

    mutating func cancelled(_ id: WorkID) { cancelled.insert(id) }

    /// Returns what is wrong with this start.
    mutating func began(_ id: WorkID?, in name: WorkLane, host: String?) -> Violation? {
        guard var lane = lanes[name] else { return Violation(.limits, "no lane \(name.rawValue)") }
        lane.running += 1
        if let host { lane.hosts[host, default: 0] += 1 }
        lanes[name] = lane
        if let id, cancelled.contains(id) { return Violation(.cancelledNeverRuns, "in lane \(name.rawValue)") }
        if suspended.contains(name) { return Violation(.holding, "work starts in lane \(name.rawValue)") }
        if lane.running > lane.allowed {
            return Violation(.limits, "\(lane.running) in lane \(name.rawValue), allowed \(lane.allowed)")
        }
        if let host, let count = lane.hosts[host], count > Self.perHostLimit {
            return Violation(.limits, "\(count) for \(host)")
        }
        return nil
    }

    mutating func ended(in name: WorkLane, host: String?) {
        guard var lane = lanes[name] else { return }
        lane.running -= 1
        if let host { lane.hosts[host, default: 0] -= 1 }
        lane.allowed = max(lane.limit, lane.running)
        lanes[name] = lane
    }
}
