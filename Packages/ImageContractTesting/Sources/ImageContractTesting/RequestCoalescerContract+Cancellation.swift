import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    static let ownCancellation = rule(
        "an operation that throws CancellationError without being cancelled fails with another error"
    ) { fixture in
        try await fixture.join(1) { throw CancellationError() }
        fixture.gate.open()
        let error = try await fixture.error(of: 1)
        try expect(error != nil, "the caller received a value")
        try expect(!(error is CancellationError), "the caller received a CancellationError")
    }

    static let cancelledCall = rule("a cancelled call throws CancellationError at once, while its operation still runs")
    {
        fixture in
        try await fixture.join(1)
        try await fixture.leave(1)
        try expect(fixture.cancellations.count == 0, "the operation has ended")
    }

    static let lastLeaves = rule("when the last caller leaves, the operation's task is cancelled") { fixture in
        try await fixture.join(1...2)
        for caller in 1...2 { try await fixture.leave(caller) }
        fixture.gate.open()
        try await fixture.expectCancellations(true)
    }

    static let startsNewOperation = rule(
        "callers that ask after the last one has left start a new operation, while the cancelled one still runs"
    ) { fixture in
        let oldGate = Gate()
        defer { oldGate.open() }
        try await fixture.join(1, gate: oldGate) { 1 }
        try await fixture.leave(1)
        try await fixture.join(2) { 2 }
        oldGate.open()
        let hasEnded = await fixture.cancellations.reaches(1)
        try expect(hasEnded, "the cancelled operation did not end")
        try await fixture.settle()
        fixture.gate.open()
        try await fixture.expectValue(2, of: 2)
    }

    static let ignoresReplacedOperation = rule(
        "progress of a cancelled operation does not reach the callers of a newer one for its key"
    ) { fixture in
        let oldGate = Gate()
        defer { oldGate.open() }
        try await fixture.join(1, gate: oldGate)
        let cancelled = try fixture.operation()
        try await fixture.leave(1)
        try await fixture.join(2)
        cancelled.report(bytes(50))
        try await fixture.settle()
        try expect(fixture.bytes(of: 2) == [0], "the caller received \(fixture.bytes(of: 2))")
    }

    static let startsNothing = rule("a task that is cancelled before it calls starts no operation") { fixture in
        fixture.gate.open()
        let start = Gate()
        let task = Task {
            await start.pass()
            await fixture.call(1, gate: fixture.gate)
        }
        task.cancel()
        start.open()
        let error = try await fixture.error(of: 1)
        try expect(error is CancellationError, "the caller received \(String(describing: error))")
        try expect(fixture.operations.count == 0, "an operation was started")
    }

    static let keepsNewerOperation = rule(
        "the late end of a cancelled operation leaves the newer one for its key, and callers still join that"
    ) { fixture in
        let endings: [@Sendable () throws -> Int] = [
            { 1 }, { throw CancellationError() }, { throw DecodingFailure.unknownFormat },
        ]
        for (number, ending) in endings.enumerated() {
            let oldGate = Gate()
            defer { oldGate.open() }
            try await fixture.join(10 * number, key: "\(number)", gate: oldGate, result: ending)
            try await fixture.leave(10 * number)
            try await fixture.join(10 * number + 1, key: "\(number)") { 2 }
            oldGate.open()
            let hasEnded = await fixture.cancellations.reaches(number + 1)
            try expect(hasEnded, "the cancelled operation did not end")
            try await expectJoining(10 * number + 2, key: "\(number)", fixture)
        }
    }

    static let keepsFollowingOperation = rule(
        "an operation that has ended leaves the one that follows it, and callers still join that"
    ) { fixture in
        let oldGate = Gate()
        oldGate.open()
        try await fixture.join(1, gate: oldGate) { 1 }
        try await fixture.expectValue(1, of: 1)
        try await fixture.join(2) { 2 }
        try await expectJoining(3, key: "key", fixture)
    }

    /// Checks that a caller joins the operation that was started last.
    private static func expectJoining(_ caller: Int, key: String, _ fixture: CoalescingFixture) async throws {
        try await fixture.settle()
        let count = fixture.operations.count
        try await fixture.join(caller, key: key) { 3 }
        try expect(fixture.operations.count == count, "the caller started another operation beside the newer one")
    }

    static let oneLeaves = rule("a caller that leaves does not affect the others") { fixture in
        try await fixture.join(1...3)
        try await fixture.leave(1)
        fixture.gate.open()
        for caller in 2...3 { try await fixture.expectValue(7, of: caller) }
        try await fixture.expectCancellations(false)
    }
}
