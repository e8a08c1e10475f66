import ImageCore

/// When `LinuxMemoryPressureMonitor` reports memory pressure.
public struct MemoryPressureThresholds: Hashable, Sendable {
    /// The share of time in which some task waits for memory, from which on the level is `.warning`, 0 to 1. The default,
    /// 200 ms in 2 s, is that of systemd (systemd.io/MEMORY_PRESSURE).
    public var warningStall = 0.1
    /// The share of time in which all tasks wait, from which on the level is `.critical`, 0 to 1.
    public var criticalStall = 0.1
    /// The share of a control group's limit from which on its working set is a `.warning`, 0 to 1.
    public var warningUsage = 0.85
    /// The share of a control group's limit from which on its working set is `.critical`, 0 to 1.
    public var criticalUsage = 0.95
    /// The time between two checks, and the window in which the kernel measures stalls. The kernel accepts 0.5 to 10 seconds,
    /// and only multiples of 2 seconds from processes without privileges.
    public var interval = Duration.seconds(2)

    public init() {}
}

/// The result of one check.
struct PressureReading: Hashable, Sendable {
    /// By file.
    var stalls: [String: PressureStall] = [:]
    /// By folder.
    var groups: [String: ControlGroupMemory] = [:]
    /// The highest level that the kernel announced since the last check.
    var announced = MemoryPressureLevel.normal
}

/// Computes a level from each reading. It assumes that readings are one interval apart.
struct PressureGauge: Sendable {
    /// How far usage must fall below a threshold to leave its level, so that the level doesn't oscillate.
    private static var hysteresis: Double { 0.05 }

    private let thresholds: MemoryPressureThresholds
    private var last: PressureReading?
    private var usageLevel = MemoryPressureLevel.normal
    private(set) var level = MemoryPressureLevel.normal

    init(thresholds: MemoryPressureThresholds) { self.thresholds = thresholds }

    /// Returns the level to report. Nil if it doesn't change, except that stalls and failures are reported each time.
    mutating func update(_ reading: PressureReading) -> MemoryPressureLevel? {
        let distress = max(reading.announced, stallLevel(reading), failureLevel(reading))
        usageLevel = newUsageLevel(reading)
        let previous = level
        level = max(distress, usageLevel)
        last = reading
        return level != previous || distress > .normal ? level : nil
    }

    private func stallLevel(_ reading: PressureReading) -> MemoryPressureLevel {
        let window = thresholds.interval / .microseconds(1)
        let levels = reading.stalls.map { file, stall -> MemoryPressureLevel in
            guard let before = last?.stalls[file] else { return .normal }
            if Self.growth(stall.full, before.full) >= thresholds.criticalStall * window { return .critical }
            return Self.growth(stall.some, before.some) >= thresholds.warningStall * window ? .warning : .normal
        }
        return levels.max() ?? .normal
    }

    private func failureLevel(_ reading: PressureReading) -> MemoryPressureLevel {
        let isFailing = reading.groups.contains { folder, group in
            group.failures > last?.groups[folder]?.failures ?? .max
        }
        return isFailing ? .critical : .normal
    }

    private func newUsageLevel(_ reading: PressureReading) -> MemoryPressureLevel {
        let usage = reading.groups.values.compactMap(\.usage).max() ?? 0
        func reaches(_ threshold: Double, _ level: MemoryPressureLevel) -> Bool {
            usage >= threshold - (usageLevel >= level ? Self.hysteresis : 0)
        }
        if reaches(thresholds.criticalUsage, .critical) { return .critical }
        return reaches(thresholds.warningUsage, .warning) ? .warning : .normal
    }

    private static func growth(_ now: UInt64, _ before: UInt64) -> Double { now > before ? Double(now - before) : 0 }
}
