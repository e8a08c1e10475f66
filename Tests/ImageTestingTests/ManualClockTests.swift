import Testing

@testable import ImageTesting

@Suite("ManualClock")
struct ManualClockTests {
    @Test("a sleeping task continues at its deadline, not before")
    func wakes() async throws {
        let clock = ManualClock()
        let awake = TestGate()
        awake.open()
        let task = Task {
            try await clock.sleep(for: .seconds(10))
            await awake.pass()
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        await clock.waitForSleepers(1)
        #expect(awake.arrivalCount == 0)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(awake.arrivalCount == 1)
    }

    @Test("a sleep until a deadline in the past returns immediately")
    func pastDeadline() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)), tolerance: nil)
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)), tolerance: nil)
    }

    @Test("a sleep whose task is cancelled throws CancellationError")
    func cancelledSleeper() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!hasSleepers(clock))
    }

    private func hasSleepers(_ clock: ManualClock) -> Bool {
        let (executor, isReached) = (QueueExecutor(), Watched(false))
        let waiting = Task(executorPreference: executor) {
            await clock.waitForSleepers(1)
            isReached.change { $0 = true }
        }
        executor.run()
        defer {
            waiting.cancel()
            executor.run()
        }
        return isReached.value
    }

    @Test("tasks continue in the order of their deadlines, and one that sleeps until now continues at once")
    func order() async throws {
        let (clock, executor, order) = (ManualClock(), QueueExecutor(), MessageLog<Int>())
        for seconds in [0, 2, 1, 3] {
            Task(executorPreference: executor) {
                try await clock.sleep(for: .seconds(seconds))
                order.append(seconds)
            }
        }
        executor.run()
        #expect(order.messages == [0])
        clock.advance(by: .seconds(3))
        executor.run()
        #expect(order.messages == [0, 1, 2, 3] && !hasSleepers(clock))
    }

    @Test("a task that is cancelled before it sleeps doesn't sleep")
    func cancelledEarlier() async {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await ManualClock().sleep(until: ManualClock.Instant(offset: .zero), tolerance: nil)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
