import ImageCore

@testable import ImageScheduling

/// A simple model of a lane, with which `LaneState` is compared. Each event searches all work.
///
/// Time advances in ticks, each of which adds one token.
struct NaiveScheduler {
    struct Work {
        var id: WorkID
        var priority: RequestPriority
        var server: String?
        /// The ticks without enough bytes since its start.
        var still = 0
        var isStalled = false
        /// Whether it is below `.normal`, or was when it started.
        var isLow: Bool { priority < .normal }
    }

    let maxOvertakes: Int?
    let perServerLimit: Int?
    /// The number of slots that low work leaves free, of the lane and of each server.
    let reserved: Int
    /// The ticks after which a transfer has stalled, and the limit with those that have.
    let stallTicks: Int?
    let maxRunning: Int
    /// Nil if there is no start rate.
    let burst: Int?
    var limit: Int
    private(set) var waiting: [Work] = []
    private(set) var running: [Work] = []
    private var overtakes = 0
    private var tokens: Int

    init(_ lane: LaneOptions, maxOvertakes: Int?, stallTicks: Int?) {
        limit = lane.limit
        self.maxOvertakes = maxOvertakes
        self.stallTicks = stallTicks
        (perServerLimit, reserved) = (lane.perServerLimit, lane.reserved)
        (burst, maxRunning) = (lane.startRate?.burst, lane.stallLimit?.maxRunning ?? 0)
        tokens = burst ?? 1
    }

    mutating func tick() {
        if let burst { tokens = min(burst, tokens + 1) }
        for index in running.indices { running[index].still += 1 }
    }

    mutating func add(_ work: Work) { waiting.append(work) }

    mutating func finish(_ id: WorkID, wasCancelled: Bool) {
        running.removeAll { $0.id == id }
        if wasCancelled, burst != nil { tokens -= 1 }
    }

    mutating func move(_ id: WorkID) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        (running[index].still, running[index].isStalled) = (0, false)
    }

    mutating func cancel(_ id: WorkID) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
        if id == startable.first?.id { overtakes = 0 }
        waiting.remove(at: index)
        return true
    }

    mutating func setPriority(_ priority: RequestPriority, of id: WorkID) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting[index].priority = priority
    }

    /// Starts all work that may start.
    mutating func startAll() -> [WorkID] {
        if let stallTicks, !waiting.isEmpty {
            for index in running.indices where running[index].still >= stallTicks {
                running[index].isStalled = true
            }
        }
        var starts: [WorkID] = []
        while hasFreeSlot, tokens >= 1, let next = next() {
            waiting.removeAll { $0.id == next.id }
            running.append(next)
            starts.append(next.id)
        }
        return starts
    }

    /// The number of ticks until work that waits for a token, or for a transfer to stall, can start.
    var missingTicks: Int? {
        if hasFreeSlot, !startable.isEmpty { return tokens < 1 ? 1 - tokens : nil }
        guard let stallTicks, running.count < maxRunning, waiting.contains(where: isOpen) else { return nil }
        return running.filter { !$0.isStalled }.map(\.still).max().map { stallTicks - $0 }
    }

    private var moving: [Work] { running.filter { !$0.isStalled } }
    private var hasFreeSlot: Bool { moving.count < limit && running.count < max(limit, maxRunning) }

    private func lowFits(_ work: [Work], in limit: Int) -> Bool {
        work.count(where: \.isLow) < max(1, limit - reserved)
    }

    private mutating func next() -> Work? {
        let startable = startable
        guard let oldest = startable.first, let highest = startable.map(\.priority).max() else { return nil }
        let best = startable.first { $0.priority == highest } ?? oldest
        let chosen = maxOvertakes.map { overtakes >= $0 } == true ? oldest : best
        overtakes = chosen.id == oldest.id ? 0 : overtakes + 1
        return chosen
    }

    /// The work that a free slot could start, oldest first.
    private var startable: [Work] {
        waiting.filter { isOpen($0) && (!$0.isLow || lowFits(moving, in: limit)) }.sorted { $0.id < $1.id }
    }

    /// Whether the server is below its limit.
    private func isOpen(_ work: Work) -> Bool {
        guard let server = work.server, let perServerLimit else { return true }
        let others = running.filter { $0.server == server }
        return others.count < perServerLimit && (!work.isLow || lowFits(others, in: perServerLimit))
    }
}
