import ImageTesting
import Testing

@testable import ImageServerKit

@Suite(.timeLimit(.minutes(1))) struct AdmissionGateTests {
    private let clock = ManualClock()
    private let working = TestGate()
    private let log = TestLog<String>()

    private func makeGate(running: Int, waiting: Int = 100, lends: Bool = true) -> AdmissionGate {
        AdmissionGate(
            limits: .init(running: running, waiting: waiting, waitingTime: .seconds(10)), lends: lends, clock: clock)
    }

    private func work(_ admission: AdmissionGate, _ origin: String) async throws {
        try await admission.run(origin: origin) {
            log.append(origin)
            await working.pass()
        }
    }

    @Test("one origin uses the whole limit, and what exceeds it waits")
    func limit() async throws {
        let admission = makeGate(running: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 { group.addTask { try await work(admission, "a") } }
            await clock.waitForSleepers(57)
            #expect(admission.runningCount == 3 && admission.waitingCount == 57)
            working.open()
            try await group.waitForAll()
        }
        #expect(log.messages.count == 60)
        #expect(admission.runningCount == 0 && admission.waitingCount == 0)
    }

    @Test("work that has waited for the time is refused, and says when to try again")
    func time() async throws {
        let admission = makeGate(running: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work(admission, "a") }
            await working.waitForArrivals(1)
            group.addTask {
                await #expect(throws: AdmissionGate.Overload(retryAfter: .seconds(10))) {
                    try await work(admission, "a")
                }
            }
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(9_999))
            #expect(admission.waitingCount == 1)
            clock.advance(by: .milliseconds(1))
            try await group.next()
            #expect(admission.waitingCount == 0)
            working.open()
            try await group.waitForAll()
        }
    }

    @Test("work that the queue has no place for is refused at once")
    func fullQueue() async throws {
        let admission = makeGate(running: 1, waiting: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work(admission, "a") }
            await working.waitForArrivals(1)
            group.addTask { try await work(admission, "a") }
            await clock.waitForSleepers(1)
            await #expect(throws: AdmissionGate.Overload.self) { try await work(admission, "a") }
            working.open()
            try await group.waitForAll()
        }
        try await makeGate(running: 1, waiting: 0).run(origin: "a") {}
    }

    @Test("waiting for a decoder needs no timer, which would take memory for long")
    func noTimer() async throws {
        let admission = AdmissionGate.decoders(1, clock: ClockWithoutTimers())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work(admission, "a") }
            await working.waitForArrivals(1)
            group.addTask { try await work(admission, "a") }
            while admission.waitingCount == 0 { await Task.yield() }
            working.open()
            try await group.waitForAll()
        }
        #expect(log.messages.count == 2)
    }

    @Test("a caller that is cancelled leaves the queue")
    func cancellation() async throws {
        let admission = makeGate(running: 1, waiting: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work(admission, "a") }
            await working.waitForArrivals(1)
            let leaving = Task { try await work(admission, "a") }
            await clock.waitForSleepers(1)
            leaving.cancel()
            await #expect(throws: CancellationError.self) { try await leaving.value }
            #expect(admission.waitingCount == 0)
            let cancellation = TestGate()
            let cancelled = Task {
                await cancellation.pass()
                try await work(admission, "a")
            }
            cancelled.cancel()
            cancellation.open()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            working.open()
            try await group.waitForAll()
        }
        #expect(log.messages == ["a"])
    }

    @Test("a second origin doesn't wait for a slow one that uses the whole limit")
    func slowOrigin() async throws {
        let admission = makeGate(running: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await work(admission, "slow") } }
            await clock.waitForSleepers(6)
            try await admission.run(origin: "other") {}
            #expect(admission.runningCount == 4)
            working.open()
            try await group.waitForAll()
        }
    }

    @Test("work that throws frees its place")
    func failing() async {
        let admission = makeGate(running: 1, waiting: 0)
        for _ in 0..<2 {
            await #expect(throws: DeadlineExceeded.self) {
                try await admission.run(origin: "a") { throw DeadlineExceeded() }
            }
        }
        #expect(admission.runningCount == 0)
    }
}

/// A clock whose use is an issue of the test.
private struct ClockWithoutTimers: Clock {
    let now = ManualClock.Instant(offset: .zero)
    let minimumResolution = Duration.zero

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        Issue.record("a timer until \(deadline.offset)")
    }
}
