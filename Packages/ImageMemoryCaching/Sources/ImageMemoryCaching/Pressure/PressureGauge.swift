import ImageCore

/// The thresholds at which `LinuxMemoryPressureMonitor` reports memory pressure. Shares are from 0 to 1.
public struct MemoryPressureThresholds: Hashable, Sendable {
    /// The share of time in which some task waits for memory, for `.warning`. The default, 200 ms in 2 s, is that of
    /// systemd (systemd.io/MEMORY_PRESSURE).
    public var warningStall = 0.1
    /// The share of time in which all tasks wait for memory, for `.critical`.
    public var criticalStall = 0.1
    /// The share of a control group's limit that its working set reaches, for `.warning`.
    public var warningUsage = 0.85
    /// The share of a control group's limit that its working set reaches, for `.critical`.
    public var criticalUsage = 0.95
    /// The time between two checks, and the window in which the kernel measures stalls: 0.5 to 10 seconds. Without
    /// privileges, only multiples of 2 seconds.
    public var interval = Duration.seconds(2)

    /// Creates the default thresholds.
    public init() {}
}

/// The values of one check: stalls by file, and control groups by folder.
struct PressureReading: Hashable, Sendable {
    var stalls: [String: PressureStall] = [:]
    var groups: [String: ControlGroupMemory] = [:]
    /// The highest level that the kernel announced since the last check.
    var announced = MemoryPressureLevel.normal
}

/// Computes a level from each reading. Readings must be one interval apart.
struct PressureGauge: Sendable {
    /// The distance below a threshold at which usage leaves its level, so that the level doesn't oscillate.
    private static var hysteresis: Double { 0.05 }

    private let thresholds: MemoryPressureThresholds
    private var last: PressureReading?
    private var usageLevel = MemoryPressureLevel.normal
    private(set) var level = MemoryPressureLevel.normal

    init(thresholds: MemoryPressureThresholds) { self.thresholds = thresholds }

    /// Returns the level to report, or nil if it doesn't change. Stalls and failures are reported each time.
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
