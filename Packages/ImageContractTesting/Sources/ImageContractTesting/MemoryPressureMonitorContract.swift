public import ImageCore
import ImageTesting

/// A monitor of memory pressure, and control over the pressure.
public struct MemoryPressureFixture: Sendable {
    /// The monitor under test.
    public let monitor: any MemoryPressureMonitor
    /// Makes the system report a level. Returns after the monitor has called its handlers.
    public let report: @Sendable (MemoryPressureLevel) async -> Void

    /// Creates a fixture.
    public init(
        monitor: any MemoryPressureMonitor, report: @escaping @Sendable (MemoryPressureLevel) async -> Void
    ) {
        self.monitor = monitor
        self.report = report
    }
}

/// The contract of `MemoryPressureMonitor`.
///
/// The rules only use `.normal`, `.warning` and `.critical`, because not every system reports `.background`.
public enum MemoryPressureMonitorContract {
    /// Makes a monitor that hasn't received a report.
    public typealias Subject = @Sendable () async throws -> MemoryPressureFixture

    /// All rules.
    public static var rules: [ContractRule<Subject>] { reporting + cancelling }

    private static var reporting: [ContractRule<Subject>] {
        [
            ContractRule("the level is normal until the system reports another one") { makeFixture in
                let fixture = try await makeFixture()
                try expect(fixture.monitor.level == .normal, "the level is \(fixture.monitor.level)")
            },
            ContractRule("the level is the one that was reported last") { makeFixture in
                let fixture = try await makeFixture()
                for level in [MemoryPressureLevel.warning, .critical, .warning, .normal] {
                    await fixture.report(level)
                    try expect(fixture.monitor.level == level, "after \(level) the level is \(fixture.monitor.level)")
                }
            },
            ContractRule("every handler receives every report, in order") { makeFixture in
                let fixture = try await makeFixture()
                let recorders = [Recorder(fixture.monitor), Recorder(fixture.monitor)]
                let levels: [MemoryPressureLevel] = [.warning, .critical, .normal, .critical]
                for level in levels { await fixture.report(level) }
                for recorder in recorders { try recorder.expect(levels) }
            },
            ContractRule("lasting pressure is reported again") { makeFixture in
                let fixture = try await makeFixture()
                let recorder = Recorder(fixture.monitor)
                for _ in 0..<2 { await fixture.report(.warning) }
                for _ in 0..<2 { await fixture.report(.critical) }
                try recorder.expect([.warning, .warning, .critical, .critical])
            },
            ContractRule("a normal level is reported once, when the pressure ends") { makeFixture in
                let fixture = try await makeFixture()
                let recorder = Recorder(fixture.monitor)
                for level in [MemoryPressureLevel.normal, .warning, .normal, .normal] { await fixture.report(level) }
                try recorder.expect([.warning, .normal])
            },
        ]
    }

    private static var cancelling: [ContractRule<Subject>] {
        [
            ContractRule("a cancelled observation receives nothing more, and the others still do") { makeFixture in
                let fixture = try await makeFixture()
                let (cancelled, other) = (Recorder(fixture.monitor), Recorder(fixture.monitor))
                await fixture.report(.warning)
                cancelled.observation.cancel()
                cancelled.observation.cancel()
                await fixture.report(.critical)
                try cancelled.expect([.warning])
                try other.expect([.warning, .critical])
            },
            ContractRule("a released observation receives nothing more") { makeFixture in
                let fixture = try await makeFixture()
                let log = MessageLog<MemoryPressureLevel>()
                do {
                    let observation = fixture.monitor.observe { log.append($0) }
                    await fixture.report(.warning)
                    withExtendedLifetime(observation) {}
                }
                await fixture.report(.critical)
                try expect(log.messages == [.warning], "received \(log.messages)")
            },
            ContractRule("a handler can read the monitor, observe it and cancel an observation") { makeFixture in
                let fixture = try await makeFixture()
                let monitor = fixture.monitor
                let levels = MessageLog<MemoryPressureLevel>()
                let late = MessageLog<MemoryPressureLevel>()
                let observations = MessageLog<MemoryPressureObservation>()
                let observation = monitor.observe { _ in
                    levels.append(monitor.level)
                    observations.append(monitor.observe { late.append($0) })
                    monitor.observe { _ in }.cancel()
                }
                await fixture.report(.warning)
                observation.cancel()
                await fixture.report(.critical)
                try expect(levels.messages == [.warning], "in the handler, the level was \(levels.messages)")
                try expect(
                    late.messages == [.critical], "an observation from the first report received \(late.messages)")
                withExtendedLifetime(observations) {}
            },
        ]
    }
}

/// Records the levels that a monitor reports.
private struct Recorder {
    let observation: MemoryPressureObservation
    private let log = MessageLog<MemoryPressureLevel>()

    init(_ monitor: any MemoryPressureMonitor) {
        observation = monitor.observe { [log] in log.append($0) }
    }

    func expect(_ levels: [MemoryPressureLevel]) throws(ContractViolation) {
        try ImageContractTesting.expect(log.messages == levels, "received \(log.messages), not \(levels)")
    }
}
