import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    static let closingEndsCalls = rule("closing ends every call with its error, and cancels the operations") {
        fixture in
        try await fixture.join(1...3)
        fixture.coalescer.close(throwing: ImageError.offline)
        for caller in 1...3 { try await expectOffline(caller, fixture) }
        for operation in fixture.operations.all { operation.report(bytes(50)) }
        fixture.gate.open()
        try await fixture.expectCancellations(true)
        try await expectNothingElse(fixture, callers: 3)
    }

    static let closingIsFinal = rule("callers that ask after closing start nothing and receive its error") {
        fixture in
        fixture.gate.open()
        fixture.coalescer.close(throwing: ImageError.offline)
        for caller in 1...2 {
            fixture.start(caller)
            try await expectOffline(caller, fixture)
        }
        try expect(fixture.operations.count == 0, "an operation was started")
    }

    static let firstClosingCounts = rule("only the first call of close has an effect") { fixture in
        try await fixture.join(1)
        fixture.coalescer.close(throwing: ImageError.offline)
        fixture.coalescer.close(throwing: ImageError.notFound)
        fixture.start(2)
        for caller in 1...2 { try await expectOffline(caller, fixture) }
    }

    static let closesFromHandler = rule("a progress handler can close the coalescer") { fixture in
        fixture.start(1) { progress in
            if progress.completedBytes > 0 { fixture.coalescer.close(throwing: ImageError.offline) }
        }
        try await fixture.expectProgress(of: 1)
        try fixture.report(bytes(50))
        try await expectOffline(1, fixture)
    }

    private static func expectOffline(_ caller: Int, _ fixture: CoalescingFixture) async throws {
        let error = try await fixture.error(of: caller)
        if case ImageError.offline? = error { return }
        throw ContractViolation("caller \(caller) received \(String(describing: error))")
    }

    /// Checks that the callers receive nothing more. Only yields, because a closed coalescer accepts no other call to
    /// wait for.
    private static func expectNothingElse(_ fixture: CoalescingFixture, callers: Int) async throws {
        for _ in 0..<50 { await Task.yield() }
        try expect(fixture.answers.count == callers, "\(fixture.answers.count) answers for \(callers) calls")
        for caller in 1...callers {
            try expect(fixture.bytes(of: caller) == [0], "caller \(caller) received \(fixture.bytes(of: caller))")
        }
    }
}
