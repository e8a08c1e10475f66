import ImageCore
import ImageTesting
import Synchronization

extension WorkSchedulerContract {
    // MARK: Slots

    static let limit = rule("a lane never runs more work at once than its limit, and leaves no slot unused", limit: 2) {
        fixture in
        let (count, occupancy) = (12, Occupancy())
        for number in 0..<count {
            await fixture.call(number) { [gate = fixture.gate] in
                occupancy.enter()
                await gate.pass()
                occupancy.leave()
            }
        }
        for finished in 0..<count {
            let expected = min(finished + 2, count)
            let areFilled = await fixture.becomesTrue { fixture.starts.count >= expected }
            try expect(areFilled, "a free slot is not used")
            await fixture.letTasksRun()
            fixture.gate.letOnePass()
        }
        for number in 0..<count { try await fixture.expectValue(of: number) }
        try expect(occupancy.most == 2, "\(occupancy.most) at once, the limit is 2")
    }

    static let keepsSlot = rule("work that is cancelled while it runs keeps its slot until it returns") { fixture in
        try await fixture.hold(0)
        await fixture.call(1)
        fixture.cancel(0)
        await fixture.letTasksRun()
        try expect(fixture.starts.all == [0], "other work started while it ran: \(fixture.starts.all)")
        try await fixture.expectStarts([0, 1])
    }

    static let transfers = rule("a transfer waits for a slot of its lane, and can report bytes") { fixture in
        try await fixture.hold(0)
        await fixture.transfer(1)
        try expect(fixture.starts.all == [0], "it started while the lane was full")
        try await fixture.expectStarts([0, 1])
        try await fixture.expectValue(of: 1)
    }

    // MARK: Order

    static let priority = rule("waiting work of higher priority starts first") { fixture in
        try await fixture.hold(0)
        let priorities: [RequestPriority] = [.low, .veryHigh, .veryLow, .high, .normal]
        for (index, priority) in priorities.enumerated() { await fixture.call(index + 1, priority) }
        try await fixture.expectStarts([0, 2, 4, 5, 1, 3])
    }

    static let arrival = rule("work of the same priority starts in the order of arrival") { fixture in
        try await fixture.hold(0)
        for number in 1...20 { await fixture.call(number) }
        try await fixture.expectStarts(Array(0...20))
    }

    static let priorityChanges = rule("a change of priority takes effect while the work waits") { fixture in
        try await fixture.hold(0)
        for number in 1...4 { await fixture.call(number) }
        fixture.setPriority(.low, of: 1)
        fixture.setPriority(.high, of: 3)
        try await fixture.expectStarts([0, 3, 2, 4, 1])
    }

    static let priorityOfRunningWork = rule("a change of priority does not affect work that runs") { fixture in
        try await fixture.hold(0)
        await fixture.call(1)
        for priority in [RequestPriority.veryLow, .veryHigh] { fixture.setPriority(priority, of: 0) }
        await fixture.letTasksRun()
        try expect(fixture.starts.all == [0], "other work started while it ran: \(fixture.starts.all)")
        try await fixture.expectStarts([0, 1])
    }

    static let overtaking = rule("the oldest work is passed over at least 32 times before it may start first") {
        fixture in
        try await fixture.hold(0)
        await fixture.call(1, .low)
        for number in 2..<34 { await fixture.call(number, .high) }
        try await fixture.expectStarts([0] + Array(2..<34) + [1])
    }

    // MARK: Cancellation

    static let cancelledNeverRuns = rule(
        "work that is cancelled while it waits never runs, and its call throws CancellationError at once"
    ) { fixture in
        try await fixture.hold(0)
        for number in 1...2 { await fixture.call(number) }
        for number in 1...2 {
            fixture.cancel(number)
            try await fixture.expectCancellation(of: number)
        }
        try expect(fixture.answers(of: 0).isEmpty, "the lane is no longer full")
        try await fixture.expectStarts([0])
    }

    static let cancelledAtItsTurn = rule("work that is cancelled at the moment of its turn leaves no slot occupied") {
        fixture in
        for steps in 0..<12 {
            let (gate, first) = (Gate(), 3 * steps)
            defer { gate.open() }
            await fixture.call(first) { await gate.pass() }
            try await fixture.expectStarted(first)
            await fixture.call(first + 1)
            gate.open()
            fixture.letTasksRun(steps: steps)
            fixture.cancel(first + 1)
            let isCancelled = (try? await fixture.answer(of: first + 1).get()) == nil
            try expect(
                isCancelled != fixture.starts.all.contains(first + 1),
                "work started, and its call was cancelled, or neither")
            await fixture.call(first + 2)
            try await fixture.expectValue(of: first + 2)
        }
    }

    static let cancelledPassesItsTurn = rule(
        "the turn of work that is cancelled while it waits passes to the next work"
    ) {
        fixture in
        try await fixture.hold(0)
        await fixture.call(1, .high)
        for number in 2...4 { await fixture.call(number) }
        for number in [1, 3] { fixture.cancel(number) }
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
