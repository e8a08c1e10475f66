import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("ManualScheduler")
struct ManualSchedulerTests {
    private let scheduler = ManualScheduler()

    private func enqueue(_ priority: RequestPriority = .normal, run: @escaping @Sendable () -> Void = {}) -> WorkID {
        scheduler.enqueue(ScheduledWork(lane: .decode, priority: priority) { run() })
    }

    @Test("nothing runs until the test says so")
    func runsOnDemand() async throws {
        let runs = Mutex(0)
        let id = enqueue { runs.withLock { $0 += 1 } }
        let before = runs.withLock { $0 }
        #expect(before == 0)
        try await scheduler.run(id)
        let after = runs.withLock { $0 }
        #expect(after == 1)
    }

    @Test("the log has everything that was asked and run, in order")
    func log() async throws {
        let first = enqueue(.low)
        let second = scheduler.enqueue(ScheduledWork(lane: .download, host: "a") {})
        scheduler.setPriority(.high, of: first)
        #expect(scheduler.cancel(second))
        try await scheduler.run(first)
        #expect(!scheduler.cancel(first))
        #expect(
            scheduler.messages == [
                .enqueued(first, .decode, .low, host: nil), .enqueued(second, .download, .normal, host: "a"),
                .reprioritised(first, .high), .cancelled(second, wasWaiting: true), .started(first), .finished(first),
                .cancelled(first, wasWaiting: false),
            ])
    }

    @Test("the next to run is the earliest of the highest priority")
    func order() async throws {
        let low = enqueue(.low)
        let first = enqueue()
        let second = enqueue()
        let raised = enqueue(.veryLow)
        scheduler.setPriority(.veryHigh, of: raised)
        #expect(scheduler.waiting == [raised, first, second, low])
        #expect(try await scheduler.runNext() == raised)
        try await scheduler.runAll()
        #expect(scheduler.waiting.isEmpty)
    }

    @Test("running work that does not wait fails loudly")
    func failsLoudly() async throws {
        let id = enqueue()
        scheduler.cancel(id)
        await #expect(throws: ManualScheduler.NotWaiting.self) { try await scheduler.run(id) }
        await #expect(throws: ManualScheduler.NotWaiting.self) { try await scheduler.runNext() }
        #expect(throws: ManualScheduler.NotWaiting.self) { try scheduler.start(WorkID(rawValue: 99)) }
    }

    @Test("a test can await work, and start it beside itself")
    func startsBesideTheTest() async throws {
        let gate = Gate()
        Task { [scheduler] in scheduler.enqueue(ScheduledWork(lane: .decode) { await gate.pass() }) }
        await scheduler.arrivals(1)
        let id = try #require(scheduler.waiting.first)
        let running = try scheduler.start(id)
        await gate.arrivals(1)
        gate.open()
        await running.value
        #expect(scheduler.messages.last == .finished(id))
    }
}

@Suite("ImmediateScheduler")
struct ImmediateSchedulerTests {
    @Test("work starts without being asked for, and can't be cancelled")
    func startsAtOnce() async {
        let gate = Gate()
        gate.open()
        let scheduler = ImmediateScheduler()
        let first = scheduler.enqueue(ScheduledWork(lane: .decode) { await gate.pass() })
        let second = scheduler.enqueue(ScheduledWork(lane: .decode) { await gate.pass() })
        await gate.arrivals(2)
        #expect(first != second)
        #expect(!scheduler.cancel(first))
    }
}
