import ImageCore

/// Checks that waiting work of higher priority starts first.
///
/// The simulation sees work start, not the scheduler's choice: a step or more lies between. So starts are judged when all
/// chosen work has started. They were wrong if other work waited all the time, at a higher priority all the time.
struct StartOrder: Sendable {
    private struct Entry: Sendable {
        let work: ExpectedLanes.Work
        /// How many starts the lane had had when the work arrived.
        let startsBefore: Int
        /// The range of its priorities since the last judgement.
        var priorities: ClosedRange<RequestPriority>
        /// Whether it waited at the last judgement.
        var waitedBefore = false

        init(_ work: ExpectedLanes.Work, startsBefore: Int) {
            (self.work, self.startsBefore) = (work, startsBefore)
            priorities = work.priority.value...work.priority.value
        }

        mutating func readPriority() {
            let value = work.priority.value
            priorities = min(priorities.lowerBound, value)...max(priorities.upperBound, value)
        }

        mutating func judged() {
            waitedBefore = true
            priorities = work.priority.value...work.priority.value
        }

        /// Work for the same host can start whenever this can.
        func overtakes(_ other: Entry) -> Bool {
            work.lane == other.work.lane && work.host == other.work.host && other.waitedBefore
                && priorities.upperBound < other.priorities.lowerBound
        }
    }

    /// The scheduler may start the oldest work first after so many starts.
    private static let starvationLimit = 32
    private var waiting: [CallID: Entry] = [:]
    /// Work that has started since the last judgement.
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

    /// Call this whenever priorities may have changed.
    mutating func readPriorities() {
        for id in waiting.keys { waiting[id]?.readPriority() }
    }

    /// Judges the starts since the last call.
    mutating func violation() -> Violation? {
        defer {
            started = []
            for id in waiting.keys { waiting[id]?.judged() }
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
