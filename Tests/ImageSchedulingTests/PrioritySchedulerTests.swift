import ImageCore
import ImageScheduling
import ImageTesting
import Synchronization
import Testing

@Suite("PriorityScheduler")
struct PrioritySchedulerTests {
    private let log = MessageLog<String>()
    private let gate = Gate()

    private func makeScheduler(limit: Int = 1, perHostLimit: Int? = nil) -> PriorityScheduler {
        PriorityScheduler(lanes: [.download: LaneConfiguration(limit: limit, perHostLimit: perHostLimit)])
    }

    /// Work that says it started and then holds its place until the gate opens.
    private func held(_ name: String, host: String? = nil) -> ScheduledWork {
        ScheduledWork(lane: .download, host: host) { [log, gate] in
            log.append(name)
            await gate.pass()
        }
    }

    private func named(_ name: String, _ priority: RequestPriority = .normal, host: String? = nil) -> ScheduledWork {
        ScheduledWork(lane: .download, priority: priority, host: host) { [log] in log.append(name) }
    }

    @Test("waiting work starts by priority, and in the order of arrival within one priority")
    func startsByPriority() async {
        let scheduler = makeScheduler()
        _ = scheduler.enqueue(held("held"))
        _ = scheduler.enqueue(named("low", .low))
        _ = scheduler.enqueue(named("first"))
        _ = scheduler.enqueue(named("second"))
        _ = scheduler.enqueue(named("high", .high))
        gate.open()
        await log.reaches(5)
        #expect(log.messages == ["held", "high", "first", "second", "low"])
    }

    @Test("work whose priority changes keeps its turn by arrival among its equals")
    func reprioritisedKeepsTurn() async {
        let scheduler = makeScheduler()
        _ = scheduler.enqueue(held("held"))
        let raised = scheduler.enqueue(named("raised", .low))
        _ = scheduler.enqueue(named("high", .high))
        let lowered = scheduler.enqueue(named("lowered", .veryHigh))
        _ = scheduler.enqueue(named("last", .low))
        scheduler.setPriority(.high, of: raised)
        scheduler.setPriority(.low, of: lowered)
        gate.open()
        await log.reaches(5)
        #expect(log.messages == ["held", "raised", "high", "lowered", "last"])
    }

    @Test("a free place is granted at once; others are granted in turn, among work, by whoever gives one back")
    func reserve() async {
        let scheduler = makeScheduler(perHostLimit: 1)
        let place = WorkPlace(lane: .download, host: "a")
        let first = scheduler.reserve(place) { [log] in log.append("never called") }
        #expect(first.isGranted && scheduler.runningCount == 1)
        let second = scheduler.reserve(place) { [log] in log.append("second") }
        #expect(!second.isGranted)
        _ = scheduler.enqueue(named("low", .low))
        scheduler.setPriority(.veryLow, of: second.id)
        first.release()
        await log.reaches(2)
        #expect(log.messages == ["low", "second"])
        first.release()
        #expect(scheduler.runningCount == 1)
        #expect(!scheduler.cancel(second.id))
        second.release()
        #expect(scheduler.runningCount == 0)
    }

    @Test("cancelled work never runs, and cancel tells whether it was in time")
    func cancel() async {
        let scheduler = makeScheduler()
        let running = scheduler.enqueue(held("held"))
        let waiting = scheduler.enqueue(named("waiting"))
        await log.reaches(1)
        #expect(scheduler.cancel(waiting))
        #expect(!scheduler.cancel(waiting))
        #expect(!scheduler.cancel(running))
        #expect(!scheduler.cancel(WorkID(rawValue: 1_000)))
        gate.open()
        _ = scheduler.enqueue(named("last", .veryLow))
        await log.reaches(2)
        #expect(log.messages == ["held", "last"])
    }

    @Test("cancelled work is let go at once, with all that it holds")
    func cancelLetsGo() async {
        final class Payload: Sendable {}
        let scheduler = makeScheduler(limit: 0)
        weak var payload: Payload?
        let id: WorkID
        do {
            let held = Payload()
            payload = held
            id = scheduler.enqueue(ScheduledWork(lane: .download) { withExtendedLifetime(held) {} })
        }
        #expect(payload != nil)
        scheduler.cancel(id)
        #expect(payload == nil)
    }

    @Test("a host at its limit holds back its own work only")
    func hostLimit() async {
        let scheduler = makeScheduler(limit: 3, perHostLimit: 1)
        _ = scheduler.enqueue(held("a1", host: "a"))
        _ = scheduler.enqueue(held("a2", host: "a"))
        _ = scheduler.enqueue(held("b1", host: "b"))
        _ = scheduler.enqueue(held("no host"))
        await log.reaches(3)
        #expect(Set(log.messages) == ["a1", "b1", "no host"])
        #expect(scheduler.runningCount == 3 && scheduler.waitingCount == 1)
        gate.open()
        await log.reaches(4)
        #expect(log.messages.last == "a2")
    }

    @Test("lanes do not wait for each other, and an unknown lane has a limit of its own")
    func lanes() async {
        let scheduler = PriorityScheduler(
            lanes: [.download: LaneConfiguration(limit: 1)], otherLanes: LaneConfiguration(limit: 1))
        for lane in ["download", "x", "x", "y"] {
            _ = scheduler.enqueue(
                ScheduledWork(lane: WorkLane(rawValue: lane)) { [log, gate] in
                    log.append(lane)
                    await gate.pass()
                })
        }
        await log.reaches(3)
        #expect(log.messages.sorted() == ["download", "x", "y"])
        #expect(scheduler.waitingCount == 1)
        gate.open()
        await log.reaches(4)
    }

    @Test("a raised limit starts waiting work, a lowered one lets running work end first")
    func limitChanges() async {
        let scheduler = makeScheduler(limit: 0)
        for name in ["1", "2", "3", "4"] { _ = scheduler.enqueue(held(name)) }
        #expect(scheduler.runningCount == 0)
        scheduler.setLimit(3, of: .download)
        await log.reaches(3)
        #expect(scheduler.runningCount == 3)
        scheduler.setLimit(1, of: .download)
        #expect(scheduler.runningCount == 3)
        gate.open()
        await log.reaches(4)
        #expect(log.messages.last == "4")
    }

    @Test("work that is enqueued by work runs too")
    func nested() async {
        let scheduler = makeScheduler()
        _ = scheduler.enqueue(
            ScheduledWork(lane: .download) { [log] in
                _ = scheduler.enqueue(ScheduledWork(lane: .download) { log.append("inner") })
                log.append("outer")
            })
        await log.reaches(2)
        #expect(log.messages == ["outer", "inner"])
    }

    @Test("under load from many tasks each work runs once or was cancelled, and limits hold")
    func stress() async {
        let scheduler = PriorityScheduler(lanes: [.download: LaneConfiguration(limit: 3, perHostLimit: 2)])
        let counts = StressCounts()
        let done = Gate()
        done.open()
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 {
                group.addTask { await Self.enqueueAndCancel(500, on: scheduler, seed: UInt64(seed), counts, done) }
            }
        }
        await done.arrivals(2_000)
        let runs = counts.runs
        #expect(runs.allSatisfy { $0.value == 1 })
        #expect(runs.count + counts.cancelled.count == 2_000)
        #expect(Set(runs.keys).isDisjoint(with: counts.cancelled))
        #expect(counts.mostAtOnce <= 3 && counts.mostAtOncePerHost <= 2)
    }

    private static func enqueueAndCancel(
        _ count: Int, on scheduler: PriorityScheduler, seed: UInt64, _ counts: StressCounts, _ done: Gate
    ) async {
        var random = SeededRandom(seed: seed)
        for number in 0..<count {
            let name = Int(seed) * count + number
            let host = number.isMultiple(of: 2) ? "a" : "b"
            let id = scheduler.enqueue(
                ScheduledWork(lane: .download, priority: .low, host: host) {
                    counts.begin(name, host: host)
                    await Task.yield()
                    counts.end(host: host)
                    await done.pass()
                })
            scheduler.setPriority(RequestPriority.allCases.randomElement(using: &random) ?? .normal, of: id)
            if Bool.random(using: &random), scheduler.cancel(id) {
                counts.cancel(name)
                await done.pass()
            }
        }
    }
}

/// What ran, how often, and how much of it at once.
private final class StressCounts: Sendable {
    private struct State: Sendable {
        var runs: [Int: Int] = [:]
        var cancelled: Set<Int> = []
        var current: [String: Int] = [:]
        var most = 0
        var mostPerHost = 0
    }

    private let state = Mutex(State())

    var runs: [Int: Int] { state.withLock { $0.runs } }
    var cancelled: Set<Int> { state.withLock { $0.cancelled } }
    var mostAtOnce: Int { state.withLock { $0.most } }
    var mostAtOncePerHost: Int { state.withLock { $0.mostPerHost } }

    func begin(_ name: Int, host: String) {
        state.withLock { state in
            state.runs[name, default: 0] += 1
            state.current[host, default: 0] += 1
            state.most = max(state.most, state.current.values.reduce(0, +))
            state.mostPerHost = max(state.mostPerHost, state.current[host, default: 0])
        }
    }

    func end(host: String) { state.withLock { $0.current[host, default: 0] -= 1 } }
    func cancel(_ name: Int) { _ = state.withLock { $0.cancelled.insert(name) } }
}
