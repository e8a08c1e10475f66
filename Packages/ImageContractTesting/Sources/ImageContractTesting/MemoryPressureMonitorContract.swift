public import ImageCore
import ImageTesting

/// A monitor of memory pressure, and the means to bring pressure about.
public struct MemoryPressureStage: Sendable {
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
    public typealias Subject = @Sendable () async throws -> MemoryPressureStage

    public static var rules: [ContractRule<Subject>] { telling + leaving }

    private static var telling: [ContractRule<Subject>] {
        [
            ContractRule("the level is normal until the system says otherwise") { makeStage in
                let stage = try await makeStage()
                try expect(stage.monitor.level == .normal, "the level is \(stage.monitor.level)")
            },
            ContractRule("the level is what was reported last") { makeStage in
                let stage = try await makeStage()
                for level in [MemoryPressureLevel.warning, .critical, .warning, .normal] {
                    await stage.raise(level)
                    try expect(stage.monitor.level == level, "after \(level) the level is \(stage.monitor.level)")
                }
            },
            ContractRule("every handler is told every report, in order") { makeStage in
                let stage = try await makeStage()
                let ears = [Ear(stage.monitor), Ear(stage.monitor)]
                let levels: [MemoryPressureLevel] = [.warning, .critical, .normal, .critical]
                for level in levels { await stage.raise(level) }
                for ear in ears { try ear.expect(levels) }
            },
            ContractRule("pressure that lasts is told again") { makeStage in
                let stage = try await makeStage()
                let ear = Ear(stage.monitor)
                for _ in 0..<2 { await stage.raise(.warning) }
                for _ in 0..<2 { await stage.raise(.critical) }
                try ear.expect([.warning, .warning, .critical, .critical])
            },
            ContractRule("normal is told once, when the pressure is over") { makeStage in
                let stage = try await makeStage()
                let ear = Ear(stage.monitor)
                for level in [MemoryPressureLevel.normal, .warning, .normal, .normal] { await stage.raise(level) }
                try ear.expect([.warning, .normal])
            },
        ]
    }

    private static var leaving: [ContractRule<Subject>] {
        [
            ContractRule("a cancelled observation is told nothing more, and the others are") { makeStage in
                let stage = try await makeStage()
                let (leaver, other) = (Ear(stage.monitor), Ear(stage.monitor))
                await stage.raise(.warning)
                leaver.observation.cancel()
                leaver.observation.cancel()
                await stage.raise(.critical)
                try leaver.expect([.warning])
                try other.expect([.warning, .critical])
            },
            ContractRule("an observation that is let go is told nothing more") { makeStage in
                let stage = try await makeStage()
                let log = MessageLog<MemoryPressureLevel>()
                do {
                    let observation = stage.monitor.observe { log.append($0) }
                    await stage.raise(.warning)
                    withExtendedLifetime(observation) {}
                }
                await stage.raise(.critical)
                try expect(log.messages == [.warning], "told \(log.messages)")
            },
            ContractRule("a handler may ask the monitor, observe and cancel") { makeStage in
                let stage = try await makeStage()
                let monitor = stage.monitor
                let asked = MessageLog<MemoryPressureLevel>()
                let late = MessageLog<MemoryPressureLevel>()
                let kept = MessageLog<MemoryPressureObservation>()
                let observation = monitor.observe { _ in
                    asked.append(monitor.level)
                    kept.append(monitor.observe { late.append($0) })
                    monitor.observe { _ in }.cancel()
                }
                await stage.raise(.warning)
                observation.cancel()
                await stage.raise(.critical)
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
