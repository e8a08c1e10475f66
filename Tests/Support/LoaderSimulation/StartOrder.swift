import ImageCore

/// Checks that waiting work of higher priority starts first.
///
/// The simulation observes when work starts, one or more steps after the scheduler has chosen it. So starts are checked
/// when all chosen work has started. A start was wrong if other work waited since the last check, always at a higher
/// priority.
struct StartOrder: Sendable {
    private struct Entry: Sendable {
        let work: ExpectedLanes.Work
        /// The number of starts in the lane when the work arrived.
        let startsBefore: Int
        /// The range of its priorities since the last check.
        var priorities: ClosedRange<RequestPriority>
        /// Whether it waited at the last check.
        var waitedBefore = false

        init(_ work: ExpectedLanes.Work, startsBefore: Int) {
            self.work = work
            self.startsBefore = startsBefore
            priorities = work.priority.value...work.priority.value
        }

        mutating func readPriority() {
            let value = work.priority.value
            priorities = min(priorities.lowerBound, value)...max(priorities.upperBound, value)
        }

        mutating func reset() {
            waitedBefore = true
            priorities = work.priority.value...work.priority.value
        }

        /// Returns whether this start was wrong. Work for the same server can start whenever this work can.
        func overtakes(_ other: Entry) -> Bool {
            work.lane == other.work.lane && work.server == other.work.server && other.waitedBefore
                && priorities.upperBound < other.priorities.lowerBound
        }
    }

    /// The number of starts after which the scheduler may start the oldest work first.
    private static let starvationLimit = 32
    private var waiting: [CallID: Entry] = [:]
    /// The work that has started since the last check.
    private var started: [Entry] = []
    private var startCounts: [WorkLane: Int] = [:]

    mutating func enqueued(_ id: CallID, _ work: ExpectedLanes.Work) {
        waiting[id] = Entry(work, startsBefore: startCounts[work.lane, default: 0])
    }

    mutating func removed(_ id: CallID) { waiting[id] = nil }

    mutating func started(_ id: CallID) {
        guard var entry = waiting.removeValue(forKey: id) else { return }
        entry.readPriority()
        let count = startCounts[entry.work.lane, default: 0]
        startCounts[entry.work.lane] = count + 1
        if count - entry.startsBefore < Self.starvationLimit { started.append(entry) }
    }

    /// Reads the priorities of all waiting work. Call it whenever they may have changed.
    mutating func readPriorities() {
        for id in waiting.keys { waiting[id]?.readPriority() }
    }

    /// Checks the starts since the last call.
    mutating func violation() -> Violation? {
        defer {
            started = []
            for id in waiting.keys { waiting[id]?.reset() }
        }
        for early in started {
            guard let late = waiting.values.first(where: { early.overtakes($0) }) else { continue }
            return Violation(
                .highestPriority,
                "work at \(early.priorities.upperBound) starts before work at \(late.priorities.lowerBound)")
        }
        return nil
    }
}
