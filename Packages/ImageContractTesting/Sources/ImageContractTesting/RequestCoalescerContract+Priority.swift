import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    static let followsCaller = rule("the operation's priority changes with its caller's") { fixture in
        try await fixture.join(1, .low)
        try await fixture.expectPriority(.low, "at first")
        for priority in [RequestPriority.veryHigh, .veryLow, .normal] {
            fixture.setPriority(priority, of: 1)
            try await fixture.expectPriority(priority, "after a change")
        }
    }

    static let notifiesObservers = rule("observers of the operation's priority are called after each change") {
        fixture in
        try await fixture.join(1, .low)
        let values = try observePriority(of: fixture)
        defer { values.end() }
        for priority in [RequestPriority.high, .high, .veryLow, .veryHigh] {
            fixture.setPriority(priority, of: 1)
            try await fixture.expectPriority(priority, "after a change")
        }
        try await values.expect([.high, .veryLow, .veryHigh])
    }

    static let countsPriorityWhileJoining = rule("a priority that changes while the caller joins takes effect") {
        fixture in
        for (caller, priority) in [(1, RequestPriority.high), (2, .veryHigh)] {
            // The first progress arrives during the join.
            fixture.start(caller, .low) { _ in fixture.setPriority(priority, of: caller) }
            try await fixture.expectProgress(of: caller)
            try await fixture.expectPriority(priority, "after caller \(caller) was raised while it joined")
        }
        for caller in 10..<30 {
            fixture.start(caller, .low, key: "\(caller)")
            fixture.setPriority(.high, of: caller)
            try await fixture.expectProgress(of: caller)
            try await fixture.expectPriority(.high, "after caller \(caller) was raised while it joined")
        }
    }

    static let highestPriority = rule("the operation has the highest of its callers' priorities") { fixture in
        try await fixture.join(1, .low)
        try await fixture.join(2, .high)
        try await fixture.expectPriority(.high, "after a high caller has joined a low one")
        fixture.setPriority(.veryHigh, of: 1)
        try await fixture.expectPriority(.veryHigh, "after a caller was raised to veryHigh")
        fixture.setPriority(.normal, of: 1)
        try await fixture.expectPriority(.high, "after this caller was lowered")
        try await fixture.leave(2)
        try await fixture.expectPriority(.normal, "after the higher caller has left")
    }

    static let observersSeeMaximum = rule(
        "observers of the operation's priority are called after each change of the maximum"
    ) { fixture in
        try await fixture.join(1, .low)
        let values = try observePriority(of: fixture)
        defer { values.end() }
        try await fixture.join(2, .high)
        try await fixture.expectPriority(.high, "after a high caller has joined")
        try await fixture.join(3, .veryLow)
        fixture.setPriority(.normal, of: 1)
        try await fixture.leave(2)
        try await fixture.expectPriority(.normal, "after the high caller has left")
        try await values.expect([.high, .normal])
    }

    static let endedCallHasNoInfluence = rule("a call that has ended has no influence on the operation's priority") {
        fixture in
        let firstGate = Gate()
        defer { firstGate.open() }
        try await fixture.join(1, gate: firstGate)
        firstGate.open()
        try await fixture.expectValue(7, of: 1)
        try await fixture.join(2, .low)
        try await fixture.join(3, .normal)
        try await fixture.leave(2)
        for caller in 1...2 { fixture.setPriority(.veryHigh, of: caller) }
        try await fixture.settle()
        try await fixture.expectPriority(.normal, "after callers that have ended were raised")
    }

    private static func observePriority(of fixture: CoalescingFixture) throws -> ObservedPriorities {
        ObservedPriorities(try fixture.operation().priority)
    }
}

/// The values that an observer of a priority has read.
private struct ObservedPriorities: Sendable {
    private let values: EventLog<RequestPriority>
    private let observation: PriorityObservation

    init(_ priority: LivePriority) {
        let values = EventLog<RequestPriority>()
        self.values = values
        observation = priority.observe { values.append($0.value) }
    }

    func end() { observation.end() }

    func expect(_ expected: [RequestPriority]) async throws {
        _ = await values.reaches(expected.count)
        try ImageContractTesting.expect(values.all == expected, "the observer has read \(values.all), not \(expected)")
    }
}
