public import ImageCore
import ImageTesting

/// The contract of `RequestCoalescer`.
public enum RequestCoalescerContract {
    /// Makes a new coalescer.
    public typealias Subject = @Sendable () -> any RequestCoalescer<String, Int>

    /// All rules.
    public static let rules = rulesWithoutSharing + rulesOfSharing

    /// The rules that also hold for a coalescer that starts an operation for each call.
    public static let rulesWithoutSharing: [ContractRule<Subject>] = [
        separatesKeys, startsAgain, startsAgainAfterFailure, throwsErrors, answersEveryCall, inheritsNoTaskLocals,
        ownCancellation, cancelledCall, lastLeaves, startsNewOperation, ignoresReplacedOperation, startsNothing,
        followsCaller, notifiesObservers, countsPriorityWhileJoining,
        progressInOrder, keepsTotal, progressAddsUp, keepsPreview, oneHandlerAtATime, noProgressAfterEnd,
        closingEndsCalls, closingIsFinal, firstClosingCounts, closesFromHandler,
    ]

    /// The rules about callers that share an operation.
    public static let rulesOfSharing: [ContractRule<Subject>] = [
        sharesOperation, sharesAtOnce, keepsNewerOperation, keepsFollowingOperation, oneLeaves, highestPriority,
        observersSeeMaximum,
        endedCallHasNoInfluence, reachesEveryCaller, replaysProgress, noProgressAfterLeaving,
    ]

    /// Creates a rule that ends its operations, whether it passes or fails.
    static func rule(
        _ name: String, body: @escaping @Sendable (CoalescingFixture) async throws -> Void
    ) -> ContractRule<Subject> {
        ContractRule(name) { make in
            let fixture = CoalescingFixture(make())
            defer { fixture.gate.open() }
            try await body(fixture)
        }
    }

    // MARK: Sharing

    private static let sharesOperation = rule("callers that ask for a key while its operation runs share it") {
        fixture in
        try await fixture.join(1...10)
        fixture.gate.open()
        for caller in 1...10 { try await fixture.expectValue(7, of: caller) }
        try expect(fixture.operations.count == 1, "\(fixture.operations.count) operations were started")
    }

    private static let sharesAtOnce = rule("callers that ask for a key at the same moment share one operation") {
        fixture in
        for caller in 1...50 { fixture.start(caller) }
        try await fixture.expectProgress(of: 1...50, count: 1)
        try expect(fixture.operations.count == 1, "\(fixture.operations.count) operations were started")
    }

    private static let separatesKeys = rule("callers of different keys share nothing") { fixture in
        try await fixture.join(1, key: "a") { 1 }
        try await fixture.join(2, key: "b") { 2 }
        fixture.gate.open()
        for caller in 1...2 { try await fixture.expectValue(caller, of: caller) }
    }

    private static let startsAgain = rule("a caller that asks after the operation has ended starts a new one") {
        fixture in
        fixture.gate.open()
        for caller in 1...3 {
            try await fixture.join(caller) { caller }
            try await fixture.expectValue(caller, of: caller)
        }
    }

    private static let startsAgainAfterFailure = rule(
        "a caller that asks after the operation has failed starts a new one"
    ) { fixture in
        fixture.gate.open()
        for caller in [1, 3] {
            try await fixture.join(caller) { throw DecodingFailure.unknownFormat }
            let error = try await fixture.error(of: caller)
            try expect(error is DecodingFailure, "caller \(caller) received \(String(describing: error))")
            try await fixture.join(caller + 1) { caller + 1 }
            try await fixture.expectValue(caller + 1, of: caller + 1)
        }
    }

    // MARK: Results

    private static let throwsErrors = rule("the operation's error reaches each of its callers") { fixture in
        for caller in 1...3 { try await fixture.join(caller) { throw DecodingFailure.unknownFormat } }
        fixture.gate.open()
        for caller in 1...3 {
            let error = try await fixture.error(of: caller)
            try expect(error is DecodingFailure, "caller \(caller) received \(String(describing: error))")
        }
    }

    private static let answersEveryCall = rule("a call that is made or cancelled at any moment ends exactly once") {
        fixture in
        fixture.gate.open()
        for round in 0..<100 {
            let callers = round * 4..<round * 4 + 4
            for caller in callers { fixture.start(caller) }
            fixture.cancel(round * 4 + round % 8)  // in half of the rounds, none of them
            let haveEnded = await fixture.answers.reaches(callers.upperBound)
            try expect(haveEnded, "\(fixture.answers.count) of \(callers.upperBound) calls have ended")
        }
        try await fixture.settle()
        try expect(fixture.answers.count == 400, "\(fixture.answers.count) answers for 400 calls")
        for answer in fixture.answers.all { try expectRegular(answer) }
    }

    private static func expectRegular(_ answer: CoalescingFixture.Answer) throws {
        let wasCancelled = answer.caller % 4 == answer.caller / 4 % 8
        switch answer.result {
        case .success(7): return
        case .failure(is CancellationError) where wasCancelled: return
        default: throw ContractViolation("caller \(answer.caller) received \(answer.result)")
        }
    }

    private static let inheritsNoTaskLocals = rule("the operation inherits no task-local values from its caller") {
        fixture in
        CallerContext.$isInCaller.withValue(true) { fixture.start(1, result: { CallerContext.isInCaller ? 0 : 7 }) }
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
    }
}

private enum CallerContext {
    @TaskLocal static var isInCaller = false
}
