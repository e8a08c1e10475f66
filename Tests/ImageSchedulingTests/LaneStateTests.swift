import ImageCore
import ImageTesting
import Testing

@testable import ImageScheduling

@Suite("State of a lane", .timeLimit(.minutes(10)))
struct LaneStateTests {
    @Test("random events start the same work as in the model", arguments: [nil, 0, 3, 64] as [Int?])
    func agreesWithModel(maxOvertakes: Int?) throws {
        let settings: [(burst: Int?, mostWaiting: Int, reserved: Int, stalls: Bool)] = [
            (nil, 60, 0, false), (nil, 3, 1, true), (1, 60, 1, false), (5, 6, 0, true), (nil, 60, 2, true),
        ]
        for (number, setting) in settings.enumerated() {
            var lane = LaneOptions(limit: 3, perServerLimit: 2)
            lane.startRate = setting.burst.map { StartRate(burst: $0, perSecond: 4, clock: ManualClock()) }
            (lane.reserved, lane.reservedPerServer) = (setting.reserved, setting.reserved)
            if setting.stalls { lane.stallLimit = Self.stallLimit(maxRunning: 7) }
            var walk = LaneWalk(seed: UInt64(number), lane, maxOvertakes: maxOvertakes)
            walk.mostWaiting = setting.mostWaiting
            for _ in 0..<3_000 { try walk.step() }
            try walk.drain()
        }
    }

    private static func stallLimit(maxRunning: Int) -> StallLimit {
        StallLimit(bytes: 100, time: .seconds(1), maxRunning: maxRunning, clock: ManualClock())
    }

    // MARK: Order

    private static func makeState(
        _ configuration: LaneOptions = LaneOptions(limit: 1), maxOvertakes: Int? = nil
    ) -> LaneState {
        LaneState(configuration, maxOvertakes: maxOvertakes)
    }

    @Test("the oldest work is overtaken at most `maxOvertakes` times")
    func oldestIsNotStarved() {
        var state = Self.makeState(maxOvertakes: 3)
        _ = state.add(1, priority: .normal, server: nil)
        _ = state.add(2, priority: .veryLow, server: nil)
        var starts: [WorkID] = []
        for id in 3...10 as ClosedRange<WorkID> {
            _ = state.add(id, priority: .high, server: nil)
            starts += state.finish(starts.last ?? 1)
        }
        #expect(starts == [3, 4, 5, 2, 6, 7, 8, 9])
    }

    @Test("the count is reset even if the overtaken work is cancelled while its server is at its limit")
    func cancelledAtHostLimit() {
        var state = Self.makeState(LaneOptions(limit: 1, perServerLimit: 1), maxOvertakes: 2)
        _ = state.add(1, priority: .normal, server: nil)
        _ = state.add(2, priority: .low, server: "a")
        _ = state.add(3, priority: .high, server: nil)
        _ = state.finish(1)
        _ = state.add(4, priority: .high, server: "a")
        _ = state.finish(3)
        let wasWaiting = state.cancel(2)
        _ = state.finish(4)
        let hasStarted = state.startImmediately(5, LaneWork(.normal, nil), at: .zero)
        _ = state.add(6, priority: .low, server: nil)
        _ = state.add(7, priority: .high, server: nil)
        let starts = state.finish(5)
        #expect(wasWaiting && hasStarted && starts == [7])
    }

    // MARK: Servers, limits, rate

    @Test("work that was cancelled while it ran takes a token, and the next work waits for a new one")
    func rate() {
        let rate = StartRate(burst: 1, perSecond: 2, clock: ManualClock())
        var state = Self.makeState(LaneOptions(limit: 1, startRate: rate))
        _ = state.add(1, priority: .normal, server: nil)
        _ = state.add(2, priority: .normal, server: nil)
        let starts = state.finish(1, wasCancelled: true)
        let waits = [state.nextWait(at: .zero), state.nextWait(at: .milliseconds(100))]
        #expect(starts.isEmpty && waits == [.milliseconds(500), nil])
        let early = state.wakeUp(at: .milliseconds(499))
        let isOvertaken = state.startImmediately(
            3, LaneWork(.normal, nil), at: .milliseconds(500))
        let inTime = state.wakeUp(at: .milliseconds(500))
        #expect(early.isEmpty && !isOvertaken && inTime == [2])
    }

    @Test("100,000 waiting work items change priority, are cancelled and start in less than quadratic time")
    func manyWaiting() {
        var state = Self.makeState(LaneOptions(limit: 1, perServerLimit: 1), maxOvertakes: 64)
        let ids = 1...100_000 as ClosedRange<WorkID>
        func server(_ id: WorkID) -> String { "\(id % 100)" }
        for id in ids { _ = state.add(id, priority: .normal, server: server(id)) }
        for id in ids { _ = state.setPriority(id.isMultiple(of: 2) ? .high : .low, of: id) }
        let cancelled = ids.count { $0.isMultiple(of: 3) && state.cancel($0) }
        var (running, started) = (1 as WorkID?, 1)
        while let id = running {
            running = state.finish(id).first
            if running != nil { started += 1 }
        }
        #expect(cancelled + started == 100_000)
        #expect(state.waitingCount == 0 && state.runningCount == 0)
    }

    // MARK: Reserved slots

    @Test("low work leaves slots of the lane and of each server to other work, but always gets one")
    func reserved() {
        for (limit, reserved, expected) in [(6, 2, 4), (6, 9, 1), (2, 1, 1), (1, 1, 1), (6, -1, 6), (0, 1, 0)] {
            var lane = LaneOptions(limit: limit)
            lane.reserved = reserved
            var server = LaneOptions(limit: 99, perServerLimit: limit)
            server.reservedPerServer = reserved
            for lane in limit > 0 ? [lane, server] : [lane] {
                var state = Self.makeState(lane)
                let low = (1...9 as ClosedRange<WorkID>).flatMap { state.add($0, priority: .low, server: "a") }
                let other = (10...19 as ClosedRange<WorkID>).flatMap { state.add($0, priority: .normal, server: "a") }
                #expect(low.count == expected && low.count + other.count == limit, "\(limit), \(reserved)")
            }
        }
    }

    @Test("waiting low work whose priority rises gets a reserved slot at once")
    func raised() {
        var lane = LaneOptions(limit: 3, perServerLimit: 2)
        (lane.reserved, lane.reservedPerServer) = (1, 1)
        var state = Self.makeState(lane)
        let low = (1...3 as ClosedRange<WorkID>).flatMap { state.add($0, priority: .veryLow, server: "a") }
        let (still, raised) = (state.setPriority(.low, of: 3), state.setPriority(.normal, of: 3))
        #expect(low == [1] && still == [] && raised == [3])
    }

    @Test("a server whose last work has left the queue leaves nothing there")
    func leavesNothing() {
        var queue = WaitingQueue()
        for id in 1...2 as ClosedRange<WorkID> { queue.set(id, rank: id, server: "a", serverIsOpen: id == 1) }
        for id in 1...2 as ClosedRange<WorkID> { queue.remove(id, server: "a", serverIsOpen: true) }
        let queues = Mirror(reflecting: queue).descendant("queues") as? [String?: IndexedHeap<WorkID>]
        #expect(queues?.isEmpty == true && queue.first == nil)
    }

    // MARK: Stalls

    @Test("work of another server, but not of its own, takes the slot of a transfer that is too slow")
    func stalled() {
        var lane = LaneOptions(limit: 2, perServerLimit: 2)
        lane.stallLimit = Self.stallLimit(maxRunning: 3)
        var state = Self.makeState(lane)
        for id in 1...2 as ClosedRange<WorkID> {
            _ = state.add(id, priority: .normal, server: "a")
        }
        for id in 3...4 as ClosedRange<WorkID> { _ = state.add(id, priority: .high, server: "a") }
        for id in 5...7 as ClosedRange<WorkID> { _ = state.add(id, priority: .low, server: "b") }
        let first = state.nextWait(at: .zero)
        state.moved(99, by: 1, at: .milliseconds(500))
        state.moved(100, by: 2, at: .milliseconds(600))
        let (early, inTime) = (state.wakeUp(at: .milliseconds(999)), state.wakeUp(at: .seconds(1)))
        #expect(first == .seconds(1) && early == [] && inTime == [5])
        let full = (state.nextWait(at: .seconds(1)), state.wakeUp(at: .seconds(9)))
        #expect(full.0 == nil && full.1 == [], "at most three at a time")
        for id in [1, 2, 5] as [WorkID] { for bytes in [60, 40] { state.moved(bytes, by: id, at: .seconds(9)) } }
        let overLimit = state.finish(5, at: .seconds(9))
        let ended = state.finish(1, at: .seconds(9))
        #expect(overLimit == [] && ended == [3])
    }
}

/// Applies the same random events to a lane and to the model.
private struct LaneWalk {
    private static let servers: [String?] = [nil, "a", "b", "c", "d"]
    private static let tick = Duration.milliseconds(250)

    var random: SeededRandom
    var state: LaneState
    var model: NaiveScheduler
    var mostWaiting = 60
    private var lastID: WorkID = 0
    private var started: Set<WorkID> = []
    private var cancelled: Set<WorkID> = []
    private var now = Duration.zero
    /// The time at which the next token is available.
    private var wakeUp: Duration?

    init(seed: UInt64, _ lane: LaneOptions, maxOvertakes: Int?) {
        random = SeededRandom(seed: seed)
        state = LaneState(lane, maxOvertakes: maxOvertakes)
        model = NaiveScheduler(lane, maxOvertakes: maxOvertakes, stallTicks: lane.stallLimit.map { _ in 4 })
    }

    mutating func step() throws {
        switch Int.random(in: 0..<23, using: &random) {
        case 0..<7: try add()
        case 7..<12: try finish()
        case 12..<15: try cancel()
        case 15..<18: try setPriority()
        case 21..<23: move()
        case 18: try setLimit(Int.random(in: 0...5, using: &random))
        default: try advance()
        }
        try check()
    }

    /// Ends all work.
    mutating func drain() throws {
        try setLimit(3)
        while !model.waiting.isEmpty || !model.running.isEmpty {
            try advance()
            try finish(wasCancelled: false)
            try check()
        }
        #expect(started.count + cancelled.count == Int(lastID) && started.isDisjoint(with: cancelled))
        #expect(state.runningByServer.isEmpty && state.runningCount + state.waitingCount == 0)
    }

    private mutating func add() throws {
        guard model.waiting.count < mostWaiting else { return try finish() }
        lastID += 1
        let server = Self.servers.randomElement(using: &random) ?? nil
        let work = NaiveScheduler.Work(
            id: lastID, priority: anyPriority(), server: server)
        model.add(work)
        // Starting immediately has the same effect as adding, if the work may start.
        let startsAtOnce =
            Bool.random(using: &random)
            && state.startImmediately(
                lastID, LaneWork(work.priority, server), at: now)
        let starts =
            startsAtOnce
            ? [lastID]
            : state.add(lastID, priority: work.priority, server: server, at: now)
        try expectStarts(starts)
    }

    private mutating func finish(wasCancelled: Bool? = nil) throws {
        guard let work = model.running.randomElement(using: &random) else { return }
        let wasCancelled = wasCancelled ?? (Int.random(in: 0..<3, using: &random) == 0)
        model.finish(work.id, wasCancelled: wasCancelled)
        try expectStarts(state.finish(work.id, wasCancelled: wasCancelled, at: now))
    }

    private mutating func cancel() throws {
        let id = anyID()
        let wasWaiting = state.cancel(id)
        try #require(wasWaiting == model.cancel(id))
        if wasWaiting { cancelled.insert(id) }
    }

    private mutating func setPriority() throws {
        let (id, priority) = (anyID(), anyPriority())
        let wasWaiting = model.waiting.contains { $0.id == id }
        model.setPriority(priority, of: id)
        let starts = state.setPriority(priority, of: id, at: now)
        if wasWaiting { try expectStarts(starts) } else { try #require(starts.isEmpty) }
    }

    private mutating func move() {
        guard let work = model.running.randomElement(using: &random) else { return }
        state.moved(100, by: work.id, at: now)
        model.move(work.id)
    }

    private mutating func setLimit(_ limit: Int) throws {
        model.limit = limit
        try expectStarts(state.setLimit(limit, at: now))
    }

    private mutating func advance() throws {
        now += Self.tick
        model.tick()
        // A wake-up can be late and occur after other events.
        guard let due = wakeUp, due <= now, Bool.random(using: &random) else { return }
        wakeUp = nil
        try expectStarts(state.wakeUp(at: now))
    }

    private mutating func expectStarts(_ starts: [WorkID]) throws {
        let expected = model.startAll()
        try #require(starts == expected)
        for id in starts {
            try #require(started.insert(id).inserted, "started twice")
            try #require(!cancelled.contains(id), "started after it was cancelled")
        }
        let wait = state.nextWait(at: now)
        let missing = model.missingTicks.map { Self.tick * $0 }
        let isEarlier = missing.map { now + $0 < wakeUp ?? .seconds(1 << 40) } ?? false
        try #require(wait == (isEarlier ? missing : nil))
        if let wait { wakeUp = now + wait }
    }

    private func check() throws {
        try #require(state.runningCount == model.running.count && state.waitingCount == model.waiting.count)
        let byServer = Dictionary(grouping: model.running.compactMap(\.server)) { $0 }
        try #require(byServer.values.allSatisfy { $0.count <= 2 } && state.runningCount <= 7)
    }

    /// Returns mostly waiting work, sometimes work that runs or has ended.
    private mutating func anyID() -> WorkID {
        let waits = Int.random(in: 0..<4, using: &random) > 0
        return (waits ? model.waiting.randomElement(using: &random)?.id : nil)
            ?? WorkID.random(in: 0...lastID, using: &random)
    }

    private mutating func anyPriority() -> RequestPriority {
        RequestPriority.allCases.randomElement(using: &random) ?? .normal
    }
}
