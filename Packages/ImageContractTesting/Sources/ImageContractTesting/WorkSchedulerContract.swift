public import ImageCore
import ImageTesting

/// The contract of `WorkScheduler`.
///
/// The rules make their calls one after the other. The next call is made when the task of the last one is suspended.
public enum WorkSchedulerContract {
    /// Makes a new scheduler whose lane `decode` runs at most `limit` closures at once. Other lanes run at least one.
    public typealias Subject = @Sendable (_ limit: Int) -> any WorkScheduler

    /// All rules.
    public static let rules = rulesWithoutWaiting + rulesOfWaiting

    /// The rules that also hold for a scheduler that starts all work immediately.
    public static let rulesWithoutWaiting: [ContractRule<Subject>] = [
        runsOnce, throwsErrors, keepsTaskLocals, cancellationReachesWork, cancelledBefore, lanesAreSeparate,
    ]

    /// The rules about waiting work.
    public static let rulesOfWaiting: [ContractRule<Subject>] = [
        limit, keepsSlot, transfers, priority, arrival, priorityChanges, priorityOfRunningWork, overtaking,
        cancelledNeverRuns, cancelledAtItsTurn, cancelledPassesItsTurn,
    ]

    /// Creates a rule that ends its work, whether it passes or fails.
    static func rule(
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

    private static let runsOnce = rule("the scheduler runs each closure once and returns its value") { fixture in
        for number in 0..<20 { await fixture.call(number) }
        for number in 0..<20 { try await fixture.expectValue(of: number) }
        try await fixture.expectStarts(Array(0..<20))
        for number in 0..<20 {
            try expect(
                fixture.answers(of: number).count == 1, "call \(number) ended with \(fixture.answers(of: number))")
        }
    }

    private static let throwsErrors = rule("the scheduler throws the closure's error and frees its slot") { fixture in
        await fixture.call(1) { throw DecodingFailure.unknownFormat }
        let answer = try await fixture.answer(of: 1)
        guard case .failure(is DecodingFailure) = answer else { throw ContractViolation("it ended with \(answer)") }
        await fixture.call(2)
        try await fixture.expectValue(of: 2)
    }

    private static let keepsTaskLocals = rule("the caller's task-local values are visible in its work") { fixture in
        let isVisible = EventLog<Bool>()
        await CallerContext.$isInCaller.withValue(true) {
            await fixture.call(1) { isVisible.append(CallerContext.isInCaller) }
        }
        try await fixture.expectValue(of: 1)
        try expect(isVisible.all == [true], "they are not visible")
    }

    private static let cancellationReachesWork = rule(
        "cancelling the caller's task cancels its work, and the call ends when the work does"
    ) { fixture in
        let isCancelled = EventLog<Bool>()
        await fixture.call(1) { [gate = fixture.gate] in
            await gate.pass()
            isCancelled.append(Task.isCancelled)
        }
        try await fixture.expectStarted(1)
        fixture.cancel(1)
        await fixture.letTasksRun()
        try expect(fixture.answers(of: 1).isEmpty, "the call ended while its work ran")
        fixture.gate.open()
        try await fixture.expectValue(of: 1)
        try expect(isCancelled.all == [true], "the work was not cancelled")
    }

    private static let cancelledBefore = rule("a task that is cancelled before it calls never runs its work") {
        fixture in
        let start = Gate()
        await fixture.call(1, start: start)
        fixture.cancel(1)
        start.open()
        try await fixture.expectCancellation(of: 1)
        try await fixture.expectStarts([])
    }

    private static let lanesAreSeparate = rule("a full lane does not block other lanes") { fixture in
        try await fixture.hold(1)
        await fixture.call(2, in: WorkLane(rawValue: "another lane"))
        try await fixture.expectValue(of: 2)
    }
}

private enum CallerContext {
    @TaskLocal static var isInCaller = false
}
