package import ImageCore

/// When memory counts as short, for `LinuxMemoryPressureMonitor`.
public struct MemoryPressureThresholds: Hashable, Sendable {
    /// The share of time in which some task waits for memory that is a warning, 0 to 1. 200 ms in 2 s unless told, which is
    /// also what systemd tells its services to watch for (systemd.io/MEMORY_PRESSURE).
    public var warningStall = 0.1
    /// The share of time in which all tasks wait that is critical, 0 to 1.
    public var criticalStall = 0.1
    /// The share of a control group's limit that is a warning once its working set takes it, 0 to 1.
    public var warningUsage = 0.85
    /// The share of a control group's limit that is critical, 0 to 1.
    public var criticalUsage = 0.95
    /// How often figures that the kernel does not announce are looked at. The kernel takes half a second to ten for its
    /// own announcements, and only multiples of two from processes without privileges.
    public var interval = Duration.seconds(2)

    public init() {}
}

/// What one look at the system found.
package struct PressureReading: Hashable, Sendable {
    /// By file.
    package var stalls: [String: PressureStall] = [:]
    /// By folder.
    package var groups: [String: ControlGroupMemory] = [:]
    /// The gravest of what the kernel has announced since the last look.
    package var announced = MemoryPressureLevel.normal

    package init() {}
}

/// Makes levels out of readings, one after the other. Knows no time: looks are taken to be one interval apart.
package struct PressureGauge: Sendable {
    /// How far usage must fall below a threshold before it counts as passed, so that it does not flutter about it.
    private static var relief: Double { 0.05 }

    private let thresholds: MemoryPressureThresholds
    private var last: PressureReading?
    private var usageLevel = MemoryPressureLevel.normal
    package private(set) var level = MemoryPressureLevel.normal

    package init(thresholds: MemoryPressureThresholds) { self.thresholds = thresholds }

    /// The level to tell. Nil when it is the one before, unless tasks wait or have failed to get memory: that is told each time.
    package mutating func note(_ reading: PressureReading) -> MemoryPressureLevel? {
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
            usage >= threshold - (usageLevel >= level ? Self.relief : 0)
        }
        if reaches(thresholds.criticalUsage, .critical) { return .critical }
        return reaches(thresholds.warningUsage, .warning) ? .warning : .normal
    }

    private static func growth(_ now: UInt64, _ before: UInt64) -> Double { now > before ? Double(now - before) : 0 }
}
