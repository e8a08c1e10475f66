import ImageCore
import ImageScheduling
import ImageTesting
import Synchronization
import Testing

@Suite("PriorityScheduler", .timeLimit(.minutes(5)))
struct PrioritySchedulerTests {
    // MARK: Order

    @Test("after a change of priority, the order of arrival applies within the new priority")
    func changedPriorityKeepsTurn() {
        let fixture = SchedulerFixture()
        let held = fixture.hold("held")
        let raised = fixture.call("raised", .low)
        fixture.call("high", .high)
        let lowered = fixture.call("lowered", .veryHigh)
        fixture.call("last", .low)
        raised.priority.value = .high
        lowered.priority.value = .low
        held.priority.value = .veryLow
        fixture.openGate()
        #expect(fixture.starts.messages == ["held", "raised", "high", "lowered", "last"])
    }

    @Test("work starts by the priority that its priority follows")
    func followedPriority() {
        let fixture = SchedulerFixture()
        fixture.hold("held")
        fixture.call("first")
        let second = fixture.call("second")
        let source = LivePriority(.low)
        let following = second.priority.follow(source)
        source.value = .high
        fixture.gate.letOnePass()
        fixture.executor.run()
        following.cancel()
        #expect(fixture.starts.messages == ["held", "second", "first"])
    }

    // MARK: Calls

    @Test("work runs in its caller's task: task-local values are visible, and cancellation reaches the work")
    func callersTask() async throws {
        let (scheduler, started, gate) = (PriorityScheduler(lanes: [:]), TestGate(), TestGate())
        let task = Task {
            try await CallerContext.$isInCaller.withValue(true) {
                try await scheduler.run(in: .decode, server: nil, priority: LivePriority(.normal)) {
                    started.open()
                    await gate.pass()
                    return [CallerContext.isInCaller, Task.isCancelled]
                }
            }
        }
        await started.whenOpen()
        task.cancel()
        gate.open()
        #expect(try await task.value == [true, true])
    }

    @Test("work that is cancelled between getting a slot and starting does not run, and frees the slot")
    func cancelledBeforeItBegins() async {
        let fixture = SchedulerFixture()
        let held = fixture.hold("held")
        let next = fixture.call("next")
        fixture.gate.open()
        while fixture.scheduler.waitingCount > 0 { fixture.executor.step() }
        next.task.cancel()  // the task was resumed, but has not run
        fixture.executor.run()
        #expect(fixture.starts.messages == ["held"] && fixture.scheduler.runningCount == 0)
        await #expect(throws: CancellationError.self) { try await next.task.value }
        #expect(throws: Never.self) { _ = held }
    }

    @Test("work that is cancelled before it waits does not wait")
    func cancelledBeforeWaiting() async {
        let clock = HookedClock()
        let fixture = SchedulerFixture { $0.startRate = StartRate(burst: 1, perSecond: 1, clock: clock) }
        fixture.hold("held")
        // Called in the task of the call, before it waits.
        clock.onRead.change { $0 = { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } } }
        let call = fixture.call("cancelled")
        clock.onRead.change { $0 = {} }
        #expect(fixture.scheduler.waitingCount == 0)
        await #expect(throws: CancellationError.self) { try await call.task.value }
        fixture.openGate()
        #expect(fixture.starts.messages == ["held"])
    }

    @Test("a priority does not retain calls that have ended")
    func releasesCalls() async {
        final class Payload: Sendable {}
        let fixture = SchedulerFixture()
        fixture.hold("held")
        weak var payload: Payload?
        let priority: LivePriority
        do {
            let held = Payload()
            payload = held
            let call = fixture.call("cancelled") { withExtendedLifetime(held) {} }
            priority = call.priority
            fixture.cancel(call)
            await #expect(throws: CancellationError.self) { try await call.task.value }
        }
        #expect(payload == nil)
        priority.value = .high
        fixture.openGate()
    }

    // MARK: Limits

    @Test("a server at its limit delays only its own work")
    func serverLimit() {
        let fixture = SchedulerFixture(limit: 3) { $0.perServerLimit = 1 }
        for (name, server) in [("a1", "a"), ("a2", "a"), ("b1", "b")] { fixture.hold(name, server: server) }
        fixture.hold("no server")
        #expect(fixture.starts.messages == ["a1", "b1", "no server"])
        #expect(fixture.scheduler.runningCount == 3 && fixture.scheduler.waitingCount == 1)
        fixture.openGate()
        #expect(fixture.starts.messages.last == "a2")
    }

    @Test("servers are compared case-insensitively")
    func serverCase() {
        let fixture = SchedulerFixture(limit: 6) { $0.perServerLimit = 1 }
        fixture.hold("0", server: "example.org")
        fixture.hold("1", server: "Example.ORG")
        #expect(fixture.scheduler.runningCount == 1 && fixture.scheduler.waitingCount == 1)
        fixture.openGate()
        #expect(fixture.starts.messages == ["0", "1"])
    }

    @Test("lanes are independent, and each lane without a configuration has its own limit")
    func lanes() {
        let fixture = SchedulerFixture()
        fixture.hold("download")
        for lane in ["x", "x", "y"] { fixture.hold(lane, in: WorkLane(rawValue: lane)) }
        #expect(fixture.starts.messages == ["download", "x", "y"])
        #expect(fixture.scheduler.waitingCount == 1)
        fixture.openGate()
        #expect(fixture.starts.messages == ["download", "x", "y", "x"])
    }

    @Test("raising a limit starts waiting work, and lowering it does not affect running work")
    func limitChanges() {
        let fixture = SchedulerFixture(limit: 0)
        for name in ["1", "2", "3", "4"] { fixture.hold(name) }
        #expect(fixture.scheduler.runningCount == 0)
        fixture.scheduler[limitOf: .download] = 3
        fixture.executor.run()
        #expect(fixture.starts.messages.count == 3)
        #expect(fixture.scheduler[limitOf: .download] == 3 && fixture.scheduler[limitOf: .decode] == 1)
        fixture.scheduler[limitOf: .download] = 1
        fixture.gate.letOnePass()
        fixture.gate.letOnePass()
        fixture.executor.run()
        #expect(fixture.scheduler.runningCount == 1 && fixture.starts.messages.count == 3)
        fixture.openGate()
        #expect(fixture.starts.messages.last == "4")
    }

    @Test("a transfer that moves no bytes gives its slot to work that waits, a second after it started")
    func stall() {
        let clock = ManualClock()
        let fixture = SchedulerFixture {
            $0.stallLimit = StallLimit(bytes: 1, time: .seconds(1), maxRunning: 2, clock: clock)
        }
        let moved = Watched<@Sendable (Int) -> Void>({ _ in })
        let transfer = Task(executorPreference: fixture.executor) {
            try await fixture.scheduler.run(in: .download, server: "a", priority: LivePriority(.normal)) {
                move in
                moved.change { $0 = move }
                await fixture.gate.pass()
            }
        }
        fixture.executor.run()
        for name in ["b", "c"] { fixture.call(name, server: name) }
        clock.advance(by: .milliseconds(600))
        moved.value(1)
        clock.advance(by: .milliseconds(600))
        fixture.executor.run()
        #expect(fixture.starts.messages == [], "it moved bytes 0.6 seconds ago")
        clock.advance(by: .milliseconds(400))
        fixture.executor.run()
        #expect(fixture.starts.messages == ["b", "c"] && fixture.scheduler.runningCount == 1)
        fixture.openGate()
        #expect(fixture.scheduler.runningCount == 0)
        #expect(throws: Never.self) { _ = transfer }
    }

    @Test("work may call the scheduler for another lane")
    func nested() {
        let fixture = SchedulerFixture()
        fixture.call("outer") { [fixture] in
            try await fixture.scheduler.run(in: .decode, server: nil, priority: LivePriority(.low)) {
                fixture.starts.append("inner")
            }
        }
        #expect(fixture.starts.messages == ["outer", "inner"])
    }
}

/// A clock that calls a function when the time is read.
private struct HookedClock: Clock {
    let base = ManualClock()
    let onRead = Watched<@Sendable () -> Void>({})

    var minimumResolution: Duration { base.minimumResolution }

    var now: ManualClock.Instant {
        onRead.value()
        return base.now
    }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}

private enum CallerContext {
    @TaskLocal static var isInCaller = false
}
