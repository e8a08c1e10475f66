import ImageCore
import ImageTesting
import Testing

@testable import ImageScheduling

@Suite("Scheduler state")
struct SchedulerStateTests {
    private static let lanes: [WorkLane] = [.download, .decode, WorkLane(rawValue: "other")]
    private static let hosts: [String?] = [nil, "a", "b", "c", "d"]

    /// Drives the state machine and the naive model with the same random events.
    private struct Walk {
        var random: SeededRandom
        var state: SchedulerState
        var model: NaiveScheduler
        var known: [WorkID] = []
        var started: Set<WorkID> = []
        var cancelled: Set<WorkID> = []

        init(seed: UInt64, overtakeLimit: Int?, order: LaneConfiguration.Order) {
            random = SeededRandom(seed: seed)
            let lanes = Dictionary(
                uniqueKeysWithValues: SchedulerStateTests.lanes.enumerated().map {
                    ($1, LaneConfiguration(limit: $0 + 1, perHostLimit: 2, order: order))
                })
            state = SchedulerState(lanes: lanes, fallback: LaneConfiguration(limit: 1), overtakeLimit: overtakeLimit)
            model = NaiveScheduler(overtakeLimit: overtakeLimit, perHostLimit: 2, limits: lanes.mapValues(\.limit))
            model.order = order
        }

        mutating func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7: try enqueue()
            case 7..<12: try finish()
            case 12..<15: try cancel()
            case 15..<18: reprioritise()
            case 18: try suspendOrResume()
            default: try changeLimit()
            }
            try checkLimits()
        }

        /// Ends all that runs until nothing is left.
        mutating func drain() throws {
            for lane in SchedulerStateTests.lanes {
                try start(state.limitChanged(of: lane, to: 3), model.setLimit(3, of: lane))
                try start(state.resumed(lane), model.resume(lane))
            }
            while let next = model.running.first?.id { try start(state.finished(next), model.finish(next)) }
            #expect(state.waitingCount == 0 && state.runningCount == 0)
            #expect(started.count + cancelled.count == known.count)
            #expect(started.isDisjoint(with: cancelled))
        }

        private mutating func enqueue() throws {
            guard model.waiting.count < 60 else { return try finish() }
            let lane = SchedulerStateTests.lanes.randomElement(using: &random) ?? .decode
            let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
            let host = SchedulerStateTests.hosts.randomElement(using: &random) ?? nil
            // Both ways lead to the same: as the scheduler does it, and without looking first whether it may start.
            let atOnce = Bool.random(using: &random) ? state.startedAtOnce(in: lane, host: host) : nil
            let (id, starts) =
                atOnce.map { ($0, [$0]) } ?? state.enqueued(in: lane, priority: priority, host: host)
            known.append(id)
            try start(starts, model.add(NaiveScheduler.Waiting(id: id, lane: lane, priority: priority, host: host)))
        }

        private mutating func finish() throws {
            let id = model.running.randomElement(using: &random)?.id ?? WorkID(rawValue: 0)
            try start(state.finished(id), model.finish(id))
        }

        private mutating func cancel() throws {
            let id = anyID()
            let wasWaiting = state.cancelled(id)
            try #require(wasWaiting == model.cancel(id))
            if wasWaiting { cancelled.insert(id) }
        }

        private mutating func reprioritise() {
            let id = anyID()
            let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
            state.reprioritised(id, to: priority)
            model.reprioritise(id, to: priority)
        }

        private mutating func changeLimit() throws {
            let lane = SchedulerStateTests.lanes.randomElement(using: &random) ?? .decode
            let limit = Int.random(in: 0...5, using: &random)
            try start(state.limitChanged(of: lane, to: limit), model.setLimit(limit, of: lane))
        }

        private mutating func suspendOrResume() throws {
            let lane = SchedulerStateTests.lanes.randomElement(using: &random) ?? .decode
            if Int.random(in: 0..<3, using: &random) > 0 { return try start(state.resumed(lane), model.resume(lane)) }
            state.suspended(lane)
            model.suspend(lane)
        }

        /// Mostly work that waits, sometimes work that runs or is over.
        private mutating func anyID() -> WorkID {
            let waits = Int.random(in: 0..<4, using: &random) > 0
            return (waits ? model.waiting.randomElement(using: &random)?.id : known.randomElement(using: &random))
                ?? WorkID(rawValue: 0)
        }

        private mutating func start(_ starts: [WorkID], _ expected: [WorkID]) throws {
            try #require(starts == expected)
            for id in starts {
                try #require(started.insert(id).inserted, "started twice")
                try #require(!cancelled.contains(id), "started after it was cancelled")
            }
        }

        private func checkLimits() throws {
            try #require(state.runningCount == model.running.count && state.waitingCount == model.waiting.count)
            var counts: [WorkLane: [String: Int]] = [:]
            for work in model.running {
                if let host = work.host { counts[work.lane, default: [:]][host, default: 0] += 1 }
            }
            try #require(counts.values.allSatisfy { $0.values.allSatisfy { $0 <= 2 } })
        }
    }

    @Test(
        "random events start the same work as the plainest model does", arguments: [nil, 0, 3, 64] as [Int?],
        LaneConfiguration.Order.allCases)
    func agreesWithModel(overtakeLimit: Int?, order: LaneConfiguration.Order) throws {
        var walk = Walk(seed: 7, overtakeLimit: overtakeLimit, order: order)
        for _ in 0..<12_000 { try walk.step() }
        try walk.drain()
    }

    @Test(
        "100,000 waiting works are reprioritised, cancelled and started without a quadratic step",
        .timeLimit(.minutes(10)))
    func manyWaiting() {
        var state = SchedulerState(
            lanes: [.download: LaneConfiguration(limit: 1, perHostLimit: 1)], fallback: LaneConfiguration(limit: 1),
            overtakeLimit: 64)
        let ids = (0..<100_000).map { state.enqueued(in: .download, priority: .normal, host: "\($0 % 100)").id }
        for id in ids { state.reprioritised(id, to: id.rawValue.isMultiple(of: 2) ? .high : .low) }
        let cancelled = ids.count { $0.rawValue.isMultiple(of: 3) && state.cancelled($0) }
        var started = 1
        var running = ids.first
        while let id = running {
            running = state.finished(id).first
            if running != nil { started += 1 }
        }
        #expect(cancelled + started == 100_000)
        #expect(state.waitingCount == 0 && state.runningCount == 0)
    }

    @Test("the oldest work is passed over at most so many times in a row")
    func oldestIsNotStarved() {
        var state = SchedulerState(lanes: [:], fallback: LaneConfiguration(limit: 1), overtakeLimit: 3)
        var running = state.enqueued(in: .decode, priority: .normal, host: nil).id
        let low = state.enqueued(in: .decode, priority: .veryLow, host: nil).id
        var starts = 0
        while running != low, starts < 100 {
            _ = state.enqueued(in: .decode, priority: .high, host: nil)
            running = state.finished(running).first ?? low
            starts += 1
        }
        #expect(starts == 4)
    }

    @Test("work does not inherit the turns for which cancelled older work was passed over")
    func cancelledOldestStartsTheCountAnew() {
        var state = SchedulerState(lanes: [:], fallback: LaneConfiguration(limit: 1), overtakeLimit: 3)
        var running = state.enqueued(in: .decode, priority: .normal, host: nil).id
        let oldest = state.enqueued(in: .decode, priority: .veryLow, host: nil).id
        for _ in 0..<3 {
            _ = state.enqueued(in: .decode, priority: .high, host: nil)
            running = state.finished(running).first ?? oldest
        }
        let wasWaiting = state.cancelled(oldest)
        #expect(wasWaiting)
        _ = state.enqueued(in: .decode, priority: .veryLow, host: nil)
        let high = state.enqueued(in: .decode, priority: .high, host: nil).id
        let next = state.finished(running)
        #expect(next == [high])
    }

    @Test("without a limit of overtaking, priority is strict for ever")
    func strictForEver() {
        var state = SchedulerState(lanes: [:], fallback: LaneConfiguration(limit: 1), overtakeLimit: nil)
        var running = state.enqueued(in: .decode, priority: .normal, host: nil).id
        let low = state.enqueued(in: .decode, priority: .veryLow, host: nil).id
        for _ in 0..<1_000 {
            _ = state.enqueued(in: .decode, priority: .high, host: nil)
            running = state.finished(running).first ?? low
            #expect(running != low)
        }
    }

    @Test("starts that pass nothing over do not count towards the oldest work's turn")
    func onlyOvertakingCounts() {
        var state = SchedulerState(lanes: [:], fallback: LaneConfiguration(limit: 1), overtakeLimit: 1)
        var running = state.enqueued(in: .decode, priority: .normal, host: nil).id
        let normal = (0..<10).map { _ in state.enqueued(in: .decode, priority: .normal, host: nil).id }
        for expected in normal {
            let starts = state.finished(running)
            #expect(starts == [expected])
            running = expected
        }
        let low = state.enqueued(in: .decode, priority: .low, host: nil).id
        let high = state.enqueued(in: .decode, priority: .high, host: nil).id
        let first = state.finished(running)
        #expect(first == [high])
        let second = state.finished(high)
        #expect(second == [low])
    }
}
