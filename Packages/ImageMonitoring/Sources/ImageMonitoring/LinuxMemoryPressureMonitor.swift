import Dispatch
public import ImageCore
import Synchronization

/// Reports memory pressure on Linux, from the time that tasks wait for memory, and from the memory of the process's
/// control groups (version 2). It reads the kernel's files every two seconds, until it is released.
///
/// The level is `.critical` if all tasks wait too long for memory, if an allocation fails, or if a group is close to
/// its limit. It is `.warning` if some tasks wait, or at a lower usage.
public final class LinuxMemoryPressureMonitor: ConditionMonitor {
    private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)
    private let gauge: Mutex<MemoryPressureGauge>
    private let timer = Mutex<DispatchEvents?>(nil)

    /// Throws `MonitoringError` if the system has no information, such as an old kernel or a sandbox.
    public convenience init() throws(MonitoringError) {
        try self.init { try? String(contentsOfFile: $0, encoding: .utf8) }
        let timer = DispatchEvents { queue in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(
                deadline: .now(), repeating: .seconds(MemoryPressureGauge.interval), leeway: .milliseconds(200))
            return timer
        } handler: { [weak self] in
            self?.check()
        }
        self.timer.withLock { $0 = timer }
    }

    /// Creates a monitor that checks only when a test calls `check`. `read` returns the text of a file.
    init(read: @escaping @Sendable (String) -> String?) throws(MonitoringError) {
        guard let gauge = MemoryPressureGauge(read: read) else {
            throw MonitoringError("neither /proc/pressure/memory nor the memory of a control group can be read")
        }
        self.gauge = Mutex(gauge)
    }

    public var condition: MemoryPressureLevel { latest.condition }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> ChangeObservation {
        latest.observe(handler)
    }

    /// Reads the files and reports the level. Call it once an interval.
    func check() {
        let reading = gauge.withLock { $0.update() }
        latest.report(reading.level, repeats: reading.hasDistress)
    }
}

/// Computes the level of memory pressure from files of the Linux kernel (admin-guide/cgroup-v2, accounting/psi).
struct MemoryPressureGauge: Sendable {
    /// The time between two updates, in seconds.
    static let interval = 2
    /// The wait for memory in an interval, in microseconds, that is pressure: that of systemd (systemd.io/MEMORY_PRESSURE).
    private static let longStall = 200_000
    /// The share of the limit of a control group that is used under pressure.
    private static let (warningUsage, criticalUsage) = (0.85, 0.95)
    /// The distance below a threshold at which usage leaves its level, so that the level doesn't oscillate.
    private static let hysteresis = 0.05

    private let read: @Sendable (String) -> String?
    /// The files with the time that tasks waited.
    private let stallFiles: [String]
    /// The folders of the process's control group and its ancestors that measure memory. The limits of all apply.
    private let groups: [String]
    /// The counters at the last update, by file and name.
    private var counters: [String: Int] = [:]
    private var usageLevel = MemoryPressureLevel.normal

    init?(read: @escaping @Sendable (String) -> String?) {
        let folders = Self.controlGroups(read("/proc/self/cgroup") ?? "")
        self.read = read
        groups = folders.filter { read($0 + "/memory.current") != nil }
        stallFiles = (["/proc/pressure/memory"] + folders.map { $0 + "/memory.pressure" }).filter { read($0) != nil }
        if stallFiles.isEmpty && groups.isEmpty { return nil }
    }

    /// Reads all values.
    ///
    /// - Returns: The level, and whether tasks have waited too long or allocations have failed since the last update.
    mutating func update() -> (level: MemoryPressureLevel, hasDistress: Bool) {
        var distress = MemoryPressureLevel.normal
        for file in stallFiles {
            if growth(of: "some", in: file) >= Self.longStall { distress = max(distress, .warning) }
            if growth(of: "full", in: file) >= Self.longStall { distress = .critical }
        }
        for group in groups {
            for event in ["oom", "oom_kill"] where growth(of: event, in: group + "/memory.events") > 0 {
                distress = .critical
            }
        }
        usageLevel = level(ofUsage: groups.compactMap(usage).max() ?? 0)
        return (max(distress, usageLevel), distress > .normal)
    }

    private func level(ofUsage usage: Double) -> MemoryPressureLevel {
        func reaches(_ threshold: Double, _ level: MemoryPressureLevel) -> Bool {
            usage >= threshold - (usageLevel >= level ? Self.hysteresis : 0)
        }
        if reaches(Self.criticalUsage, .critical) { return .critical }
        return reaches(Self.warningUsage, .warning) ? .warning : .normal
    }

    /// Returns the used share of a group's limit, or nil without a limit.
    ///
    /// Inactive file pages don't count: they fill the group up to its limit, and the kernel can free them immediately.
    private func usage(of group: String) -> Double? {
        let limits = ["high", "max"].compactMap { read(group + "/memory." + $0).flatMap(Self.number) }
        guard let limit = limits.min(), let current = read(group + "/memory.current").flatMap(Self.number) else {
            return nil
        }
        let inactive = number(named: "inactive_file", in: group + "/memory.stat") ?? 0
        return Double(max(0, current - inactive)) / Double(max(1, limit))
    }

    /// Returns how much a counter has grown since the last update; 0 at the first one.
    private mutating func growth(of name: String, in file: String) -> Int {
        guard let count = number(named: name, in: file) else { return 0 }
        let last = counters.updateValue(count, forKey: file + " " + name) ?? count
        return count - last
    }

    /// Returns the last number of the line that starts with a name, such as `oom 0` or `some avg10=0.00 total=0`.
    private func number(named name: String, in file: String) -> Int? {
        let lines = read(file)?.split(separator: "\n") ?? []
        let line = lines.first { $0.split(separator: " ").first == name[...] }
        return line?.split { $0 == " " || $0 == "=" }.last.flatMap(Self.number)
    }

    /// Returns nil for "max", which means no limit.
    private static func number(_ text: some StringProtocol) -> Int? {
        text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns the folders of a process's group, its ancestors and the root, from the text of `/proc/self/cgroup`.
    ///
    /// In a container, the folders of some ancestors don't exist.
    static func controlGroups(_ text: String) -> [String] {
        guard let path = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else {
            return []
        }
        let names = path.split(separator: "/")
        return (0...names.count).reversed().map { (["/sys/fs/cgroup"] + names.prefix($0)).joined(separator: "/") }
    }
}
