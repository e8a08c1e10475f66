import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    static let cancelledCall = rule(
        "a cancelled call throws CancellationError at once, and the last one cancels the operation's task"
    ) { fixture in
        for caller in 1...2 { try await fixture.join(caller) }
        for caller in 1...2 { try await fixture.leave(caller) }
        try expect(fixture.cancellations.count == 0, "the operation has ended")
        fixture.gate.open()
        try await fixture.expectCancellations(true)
    }

    static let startsNothing = rule("a task that is cancelled before it calls starts no operation") { fixture in
        fixture.gate.open()
        let start = TestGate()
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

    static let startsNewOperation = rule(
        "callers that ask after the last one has left receive nothing of the cancelled operation, which still runs"
    ) { fixture in
        let oldGate = TestGate()
        defer { oldGate.open() }
        try await fixture.join(1, gate: oldGate) { 1 }
        let cancelled = try fixture.operation()
        try await fixture.leave(1)
        try await fixture.join(2) { 2 }
        cancelled.report(bytes(50))
        oldGate.open()
        let hasEnded = await fixture.cancellations.reaches(1)
        try expect(hasEnded, "the cancelled operation did not end")
        try await fixture.settle()
        fixture.gate.open()
        try await fixture.expectValue(2, of: 2)
        try expect(fixture.bytes(of: 2) == [0], "the caller received \(fixture.bytes(of: 2))")
    }

    static let keepsNewerOperation = rule(
        "the late end of a cancelled operation leaves the newer one for its key, and callers still join that"
    ) { fixture in
        let endings: [@Sendable () throws -> Int] = [
            { 1 }, { throw CancellationError() }, { throw ImageDecodingError.unknownFormat },
        ]
        for (number, ending) in endings.enumerated() {
            let (oldGate, key) = (TestGate(), "\(number)")
            defer { oldGate.open() }
            try await fixture.join(10 * number, key: key, gate: oldGate, result: ending)
            try await fixture.leave(10 * number)
            try await fixture.join(10 * number + 1, key: key)
            oldGate.open()
            let hasEnded = await fixture.cancellations.reaches(number + 1)
            try expect(hasEnded, "the cancelled operation did not end")
            try await fixture.settle()
            let count = fixture.operations.count
            try await fixture.join(10 * number + 2, key: key)
            try expect(fixture.operations.count == count, "the caller started another operation beside the newer one")
        }
    }
}
