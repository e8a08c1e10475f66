public import ImageCore
import ImageTesting

/// A monitor of a condition, and the means to change it.
public struct ConditionFixture<Condition: Hashable & Sendable>: Sendable {
    public let monitor: any ConditionMonitor<Condition>
    /// Brings the condition about. Returns when the monitor has taken notice and told everyone.
    public let bring: @Sendable (Condition) async -> Void

    public init(
        monitor: any ConditionMonitor<Condition>, bring: @escaping @Sendable (Condition) async -> Void
    ) {
        self.monitor = monitor
        self.bring = bring
    }
}

/// What every `ConditionMonitor` promises.
public enum ConditionMonitorContract {
    /// Makes a monitor of something that stands as `first`, the first of the two conditions that the rules are made for.
    public typealias Subject<Condition: Hashable & Sendable> = @Sendable () async throws -> ConditionFixture<Condition>

    /// Every promise, with two conditions of which the monitor begins with the first.
    public static func rules<Condition: Hashable & Sendable>(
        first: Condition, second: Condition
    ) -> [ContractRule<Subject<Condition>>] {
        [
            ContractRule("the condition is how it stands now") { make in
                let fixture = try await make()
                for condition in [first, second, second, first] {
                    await fixture.bring(condition)
                    try expect(
                        fixture.monitor.condition == condition, "it is \(fixture.monitor.condition), not \(condition)")
                }
            },
            ContractRule("every handler is told each change, in order, and nothing that stays as it is") { make in
                let fixture = try await make()
                let ears = [Ear(fixture.monitor), Ear(fixture.monitor)]
                for condition in [first, second, second, first, second] { await fixture.bring(condition) }
                for ear in ears { try ear.expect([second, first, second]) }
            },
            ContractRule("an observation that is cancelled or let go is told nothing more, and the others are") {
                make in
                let fixture = try await make()
                let (leaver, other, lost) = (Ear(fixture.monitor), Ear(fixture.monitor), MessageLog<Condition>())
                do {
                    let observation = fixture.monitor.observe { lost.append($0) }
                    await fixture.bring(second)
                    withExtendedLifetime(observation) {}
                }
                leaver.observation.cancel()
                leaver.observation.cancel()
                await fixture.bring(first)
                try leaver.expect([second])
                try other.expect([second, first])
                try expect(lost.messages == [second], "who let go was told \(lost.messages)")
            },
            ContractRule("a handler may ask the monitor, observe and cancel") { make in
                let fixture = try await make()
                let (monitor, asked) = (fixture.monitor, MessageLog<Condition>())
                let observation = monitor.observe { _ in
                    asked.append(monitor.condition)
                    monitor.observe { _ in }.cancel()
                }
                await fixture.bring(second)
                observation.cancel()
                await fixture.bring(first)
                try expect(asked.messages == [second], "asked in the handler, it was \(asked.messages)")
            },
        ]
    }

    /// Observes a monitor and keeps what it is told.
    private struct Ear<Condition: Hashable & Sendable> {
        let observation: MonitorObservation
        private let log = MessageLog<Condition>()

        init(_ monitor: any ConditionMonitor<Condition>) {
            observation = monitor.observe { [log] in log.append($0) }
        }

        func expect(_ conditions: [Condition]) throws(ContractViolation) {
            try ImageContractTesting.expect(log.messages == conditions, "told \(log.messages), not \(conditions)")
        }
    }
}
