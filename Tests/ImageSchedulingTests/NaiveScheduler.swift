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
    }

    let overtakeLimit: Int?
    let perServerLimit: Int?
    /// Nil if there is no start rate.
    let burst: Int?
    var limit: Int
    private(set) var waiting: [Work] = []
    private(set) var running: [Work] = []
    private var overtakes = 0
    private var tokens: Int

    init(limit: Int, overtakeLimit: Int?, perServerLimit: Int?, burst: Int?) {
        self.limit = limit
        self.overtakeLimit = overtakeLimit
        self.perServerLimit = perServerLimit
        self.burst = burst
        tokens = burst ?? 1
    }

    mutating func tick() {
        if let burst { tokens = min(burst, tokens + 1) }
    }

    mutating func add(_ work: Work) { waiting.append(work) }

    mutating func finish(_ id: WorkID, wasCancelled: Bool) {
        running.removeAll { $0.id == id }
        if wasCancelled, burst != nil { tokens -= 1 }
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
        var starts: [WorkID] = []
        while hasFreeSlot, tokens >= 1, let next = next() {
            waiting.removeAll { $0.id == next.id }
            running.append(next)
            starts.append(next.id)
        }
        return starts
    }

    /// The number of ticks until work can start. Nil if work can start now, or doesn't wait for tokens only.
    var missingTicks: Int? { hasFreeSlot && !startable.isEmpty && tokens < 1 ? 1 - tokens : nil }

    private var hasFreeSlot: Bool { running.count < limit }

    private mutating func next() -> Work? {
        let startable = startable
        guard let oldest = startable.first, let highest = startable.map(\.priority).max() else { return nil }
        let best = startable.first { $0.priority == highest } ?? oldest
        let chosen = overtakeLimit.map { overtakes >= $0 } == true ? oldest : best
        overtakes = chosen.id == oldest.id ? 0 : overtakes + 1
        return chosen
    }

    /// The work whose server is below its limit, oldest first.
    private var startable: [Work] { waiting.filter(isOpen).sorted { $0.id < $1.id } }

    private func isOpen(_ work: Work) -> Bool {
        guard let server = work.server, let perServerLimit else { return true }
        return running.count { $0.server == server } < perServerLimit
    }
}
