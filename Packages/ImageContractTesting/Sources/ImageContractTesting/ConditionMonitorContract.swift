public import ImageCore
import ImageTesting

/// A monitor of a condition, and control over the condition.
public struct ConditionFixture<Condition: Hashable & Sendable>: Sendable {
    /// The monitor under test.
    public let monitor: any ConditionMonitor<Condition>
    /// Sets the condition. Returns after the monitor has called its handlers.
    public let setCondition: @Sendable (Condition) async -> Void

    /// Creates a fixture.
    public init(
        monitor: any ConditionMonitor<Condition>, setCondition: @escaping @Sendable (Condition) async -> Void
    ) {
        self.monitor = monitor
        self.setCondition = setCondition
    }
}

/// The contract of `ConditionMonitor`.
public enum ConditionMonitorContract {
    /// Makes a monitor whose condition is the `first` one of the rules.
    public typealias Subject<Condition: Hashable & Sendable> = @Sendable () async throws -> ConditionFixture<Condition>

    /// Returns all rules for two different conditions.
    ///
    /// - Parameters:
    ///   - first: The initial condition of each monitor.
    ///   - second: Another condition.
    public static func rules<Condition: Hashable & Sendable>(
        first: Condition, second: Condition
    ) -> [ContractRule<Subject<Condition>>] {
        [
            ContractRule("the condition is the current one") { make in
                let fixture = try await make()
                for condition in [first, second, second, first] {
                    await fixture.setCondition(condition)
                    try expect(
                        fixture.monitor.condition == condition, "it is \(fixture.monitor.condition), not \(condition)")
                }
            },
            ContractRule("every handler receives each change, in order") { make in
                let fixture = try await make()
                let recorders = [Recorder(fixture.monitor), Recorder(fixture.monitor)]
                for condition in [second, first, second] { await fixture.setCondition(condition) }
                for recorder in recorders { try recorder.expect([second, first, second]) }
            },
            ContractRule("a cancelled or released observation receives nothing more, and the others still do") {
                make in
                let fixture = try await make()
                let (cancelled, other) = (Recorder(fixture.monitor), Recorder(fixture.monitor))
                let released = MessageLog<Condition>()
                do {
                    let observation = fixture.monitor.observe { released.append($0) }
                    await fixture.setCondition(second)
                    withExtendedLifetime(observation) {}
                }
                cancelled.observation.cancel()
                cancelled.observation.cancel()
                await fixture.setCondition(first)
                try cancelled.expect([second])
                try other.expect([second, first])
                try expect(
                    released.messages == [second], "the released observation received \(released.messages)")
            },
            ContractRule("a handler can read the monitor, observe it and cancel an observation") { make in
                let fixture = try await make()
                let (monitor, conditions) = (fixture.monitor, MessageLog<Condition>())
                let observation = monitor.observe { _ in
                    conditions.append(monitor.condition)
                    monitor.observe { _ in }.cancel()
                }
                await fixture.setCondition(second)
                observation.cancel()
                await fixture.setCondition(first)
                try expect(conditions.messages == [second], "in the handler, the condition was \(conditions.messages)")
            },
            ContractRule("an observation that starts in a handler receives the next change") { make in
                let fixture = try await make()
                let (monitor, late) = (fixture.monitor, MessageLog<Condition>())
                let observations = MessageLog<ChangeObservation>()
                let observation = monitor.observe { _ in observations.append(monitor.observe { late.append($0) }) }
                await fixture.setCondition(second)
                observation.cancel()
                await fixture.setCondition(first)
                try expect(late.messages == [first], "it received \(late.messages)")
                withExtendedLifetime(observations) {}
            },
        ]
    }

    /// Records the conditions that a monitor reports.
    private struct Recorder<Condition: Hashable & Sendable> {
        let observation: ChangeObservation
        private let log = MessageLog<Condition>()

        init(_ monitor: any ConditionMonitor<Condition>) {
            observation = monitor.observe { [log] in log.append($0) }
        }

        func expect(_ conditions: [Condition]) throws(ContractViolation) {
            try ImageContractTesting.expect(log.messages == conditions, "received \(log.messages), not \(conditions)")
        }
    }
}
