public import ImageCore
import ImageTesting

/// A monitor of memory pressure, and the means to bring pressure about.
public struct MemoryPressureFixture: Sendable {
    public let monitor: any MemoryPressureMonitor
    /// Lets the system say this level. Returns when the monitor has taken notice and told everyone.
    public let raise: @Sendable (MemoryPressureLevel) async -> Void

    public init(
        monitor: any MemoryPressureMonitor, raise: @escaping @Sendable (MemoryPressureLevel) async -> Void
    ) {
        self.monitor = monitor
        self.raise = raise
    }
}

/// What every monitor of memory pressure promises.
///
/// Rules bring about `.normal`, `.warning` and `.critical` alone: not every system knows `.background`.
public enum MemoryPressureMonitorContract {
    /// Makes a monitor that has seen nothing yet.
    public typealias Subject = @Sendable () async throws -> MemoryPressureFixture

    public static var rules: [ContractRule<Subject>] { telling + leaving }

    private static var telling: [ContractRule<Subject>] {
        [
            ContractRule("the level is normal until the system says otherwise") { makeFixture in
                let fixture = try await makeFixture()
                try expect(fixture.monitor.level == .normal, "the level is \(fixture.monitor.level)")
            },
            ContractRule("the level is what was reported last") { makeFixture in
                let fixture = try await makeFixture()
                for level in [MemoryPressureLevel.warning, .critical, .warning, .normal] {
                    await fixture.raise(level)
                    try expect(fixture.monitor.level == level, "after \(level) the level is \(fixture.monitor.level)")
                }
            },
            ContractRule("every handler is told every report, in order") { makeFixture in
                let fixture = try await makeFixture()
                let ears = [Ear(fixture.monitor), Ear(fixture.monitor)]
                let levels: [MemoryPressureLevel] = [.warning, .critical, .normal, .critical]
                for level in levels { await fixture.raise(level) }
                for ear in ears { try ear.expect(levels) }
            },
            ContractRule("pressure that lasts is told again") { makeFixture in
                let fixture = try await makeFixture()
                let ear = Ear(fixture.monitor)
                for _ in 0..<2 { await fixture.raise(.warning) }
                for _ in 0..<2 { await fixture.raise(.critical) }
                try ear.expect([.warning, .warning, .critical, .critical])
            },
            ContractRule("normal is told once, when the pressure is over") { makeFixture in
                let fixture = try await makeFixture()
                let ear = Ear(fixture.monitor)
                for level in [MemoryPressureLevel.normal, .warning, .normal, .normal] { await fixture.raise(level) }
                try ear.expect([.warning, .normal])
            },
        ]
    }

    private static var leaving: [ContractRule<Subject>] {
        [
            ContractRule("a cancelled observation is told nothing more, and the others are") { makeFixture in
                let fixture = try await makeFixture()
                let (leaver, other) = (Ear(fixture.monitor), Ear(fixture.monitor))
                await fixture.raise(.warning)
                leaver.observation.cancel()
                leaver.observation.cancel()
                await fixture.raise(.critical)
                try leaver.expect([.warning])
                try other.expect([.warning, .critical])
            },
            ContractRule("an observation that is let go is told nothing more") { makeFixture in
                let fixture = try await makeFixture()
                let log = MessageLog<MemoryPressureLevel>()
                do {
                    let observation = fixture.monitor.observe { log.append($0) }
                    await fixture.raise(.warning)
                    withExtendedLifetime(observation) {}
                }
                await fixture.raise(.critical)
                try expect(log.messages == [.warning], "told \(log.messages)")
            },
            ContractRule("a handler may ask the monitor, observe and cancel") { makeFixture in
                let fixture = try await makeFixture()
                let monitor = fixture.monitor
                let asked = MessageLog<MemoryPressureLevel>()
                let late = MessageLog<MemoryPressureLevel>()
                let kept = MessageLog<MemoryPressureObservation>()
                let observation = monitor.observe { _ in
                    asked.append(monitor.level)
                    kept.append(monitor.observe { late.append($0) })
                    monitor.observe { _ in }.cancel()
                }
                await fixture.raise(.warning)
                observation.cancel()
                await fixture.raise(.critical)
                try expect(asked.messages == [.warning], "asked in the handler, the level was \(asked.messages)")
                try expect(late.messages == [.critical], "who came at the first report was told \(late.messages)")
                withExtendedLifetime(kept) {}
            },
        ]
    }
}

/// Observes a monitor and keeps what it is told.
private struct Ear {
    let observation: MemoryPressureObservation
    private let log = MessageLog<MemoryPressureLevel>()

    init(_ monitor: any MemoryPressureMonitor) {
        observation = monitor.observe { [log] in log.append($0) }
    }

    func expect(_ levels: [MemoryPressureLevel]) throws(ContractViolation) {
        try ImageContractTesting.expect(log.messages == levels, "told \(log.messages), not \(levels)")
    }
}
