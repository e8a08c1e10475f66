public import ImageCore
import ImageTesting
import Synchronization

/// The contract of `WorkScheduler`.
///
/// The rules make their calls one after the other. The next call is made when the task of the last one is suspended.
public enum WorkSchedulerContract {
    /// Makes a new scheduler whose lane `decode` runs at most `limit` closures at once. Other lanes run at least one.
    public typealias Subject = @Sendable (_ limit: Int) -> any WorkScheduler

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [runsOnce, limit, order, cancelledNeverRuns]

    /// Creates a rule that ends its work, whether it passes or fails.
    private static func rule(
        _ name: String, limit: Int = 1, body: @escaping @Sendable (SchedulingFixture) async throws -> Void
    ) -> ContractRule<Subject> {
        ContractRule(name) { make in
            let fixture = SchedulingFixture(make(limit))
            do {
                try await body(fixture)
            } catch {
                fixture.gate.open()
                await fixture.letTasksRun()
                throw error
            }
            fixture.gate.open()
            await fixture.letTasksRun()
        }
    }

    // MARK: Work

    private static let runsOnce = rule(
        "the scheduler runs each closure once, returns its value or throws its error, and frees its slot"
    ) { fixture in
        await fixture.call(1) { throw ImageDecodingError.unknownFormat }
        let answer = try await fixture.answer(of: 1)
        guard case .failure(is ImageDecodingError) = answer else { throw ContractViolation("it ended with \(answer)") }
        for number in 2...20 { await fixture.call(number) }
        for number in 2...20 { try await fixture.expectValue(of: number) }
        try await fixture.expectStarts(Array(1...20))
        for number in 1...20 {
            try expect(
                fixture.answers(of: number).count == 1, "call \(number) ended with \(fixture.answers(of: number))")
        }
    }

    // MARK: Waiting

    private static let limit = rule(
        "a lane uses all of its slots and no more, and running work that is cancelled or changes priority keeps its slot",
        limit: 2
    ) { fixture in
        let (count, occupancy) = (12, Occupancy())
        for number in 0..<count {
            await fixture.call(number) { [gate = fixture.gate] in
                occupancy.enter()
                await gate.pass()
                occupancy.leave()
            }
        }
        fixture.cancel(0)
        for priority in [RequestPriority.veryLow, .veryHigh] { fixture.setPriority(priority, of: 1) }
        for finished in 0..<count {
            let expected = min(finished + 2, count)
            let areFilled = await fixture.becomesTrue { fixture.starts.messages.count >= expected }
            try expect(areFilled, "a free slot is not used")
            await fixture.letTasksRun()
            fixture.gate.letOnePass()
        }
        for number in 0..<count { try await fixture.expectValue(of: number) }
        try expect(occupancy.most == 2, "\(occupancy.most) at once, the limit is 2")
    }

    private static let order = rule(
        "waiting work starts by its current priority, then in order of arrival, and is passed over at least 32 times"
    ) { fixture in
        try await fixture.hold(0)
        await fixture.call(1, .veryLow)
        await fixture.call(2, .low)
        for number in 3...32 { await fixture.call(number) }
        await fixture.call(33, .veryHigh)
        fixture.setPriority(.low, of: 3)
        fixture.setPriority(.high, of: 30)
        try await fixture.expectStarts([0, 33, 30] + Array(4...29) + [31, 32, 2, 3, 1])
    }

    private static let cancelledNeverRuns = rule(
        "work that is cancelled while it waits never runs, its call throws CancellationError at once, and others continue"
    ) { fixture in
        try await fixture.hold(0)
        await fixture.call(1, .high)
        for number in 2...4 { await fixture.call(number) }
        for number in [1, 3] {
            fixture.cancel(number)
            try await fixture.expectCancellation(of: number)
        }
        try expect(fixture.answers(of: 0).isEmpty, "the lane is no longer full")
        try await fixture.expectStarts([0, 2, 4])
    }
}

/// Counts how much work runs at once.
private final class Occupancy: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func leave() { counts.withLock { $0.now -= 1 } }
}
