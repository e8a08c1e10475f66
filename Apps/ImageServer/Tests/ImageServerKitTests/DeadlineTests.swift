import ImageTesting
import Testing

@testable import ImageServerKit

@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
    private let clock = ManualClock()

    @Test("work that can't be interrupted is left behind after a moment")
    func uninterruptible() async throws {
        let gate = TestGate()
        let result = Task { [clock] in try await withDeadline(.seconds(2), clock: clock) { await gate.pass() } }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(250))
        await #expect(throws: DeadlineExceeded.self) { try await result.value }
        gate.open()
    }

    @Test("work that reacts ends with the deadline, and returns its value or failure before it")
    func reacting() async throws {
        let result = Task { [clock] in
            try await withDeadline(.seconds(2), clock: clock) { try await clock.sleep(for: .seconds(60)) }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))
        await #expect(throws: DeadlineExceeded.self) { try await result.value }
        #expect(try await withDeadline(.seconds(2), clock: clock) { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await withDeadline(.seconds(2), clock: clock) { throw CancellationError() }
        }
    }

    @Test("work is cancelled with its caller, and at the deadline")
    func cancellation() async throws {
        for isCancelled in [true, false] {
            let ended = TestGate()
            let result = Task { [clock] in
                try await withDeadline(.seconds(2), clock: clock) {
                    defer { ended.open() }
                    try await clock.sleep(for: .seconds(60))
                }
            }
            await clock.waitForSleepers(2)
            if isCancelled { result.cancel() } else { clock.advance(by: .seconds(2)) }
            _ = await result.result
            await ended.pass()
        }
    }
}
