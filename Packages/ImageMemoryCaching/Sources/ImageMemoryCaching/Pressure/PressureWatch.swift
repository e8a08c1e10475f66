package import ImageCore

/// Where Linux tells of memory. Tests give files of their own.
public struct LinuxMemoryPressurePaths: Hashable, Sendable {
    /// Pressure stall information of the whole system.
    public var systemPressure = "/proc/pressure/memory"
    /// Which control groups the process is in.
    public var controlGroups = "/proc/self/cgroup"
    /// What is mounted where.
    public var mounts = "/proc/self/mountinfo"

    public init() {}
}

/// Reads the system's figures when told, and makes levels of them. Lives on one thread; waits for nothing.
package struct PressureWatch {
    private let read: PressureFileReader
    private var gauge: PressureGauge
    /// The files with pressure stall information that there are.
    package let stallFiles: [String]
    /// The folders of control groups that count memory.
    package let groupFolders: [String]
    /// What went wrong in the last look: the figures concerned count as absent.
    package private(set) var failures: [MemoryPressureFailure] = []

    /// - Throws: when the system tells nothing of memory at all, the reason.
    package init(
        paths: LinuxMemoryPressurePaths, thresholds: MemoryPressureThresholds,
        read: @escaping PressureFileReader
    ) throws(MemoryPressureFailure) {
        self.read = read
        gauge = PressureGauge(thresholds: thresholds)
        let folders = try Self.folders(paths, read)
        groupFolders = folders.filter { Self.isReadable($0 + "/memory.current", read) }
        stallFiles = ([paths.systemPressure] + folders.map { $0 + "/memory.pressure" }).filter {
            Self.isReadable($0, read)
        }
        if stallFiles.isEmpty, groupFolders.isEmpty { _ = try read(paths.systemPressure) }
    }

    /// Takes a reading. Returns the level to tell, or nil when there is nothing to tell.
    package mutating func look(announced: MemoryPressureLevel = .normal) -> MemoryPressureLevel? {
        failures = []
        var reading = PressureReading()
        reading.announced = announced
        for file in stallFiles { note(file, in: &reading.stalls, PressureStall.init(file:read:)) }
        for folder in groupFolders { note(folder, in: &reading.groups, ControlGroupMemory.init(folder:read:)) }
        return gauge.note(reading)
    }

    /// Whether there is something to see that nobody will announce: a limit to come near to, or pressure to pass.
    ///
    /// - Parameter announcesStalls: true when the kernel wakes the watcher when tasks wait.
    package func needsLooking(announcesStalls: Bool) -> Bool {
        !announcesStalls || !groupFolders.isEmpty || gauge.level > .normal
    }

    /// Keeps the figures at a path, or why there are none.
    private mutating func note<Figures>(
        _ path: String, in found: inout [String: Figures],
        _ figures: (String, PressureFileReader) throws(MemoryPressureFailure) -> Figures
    ) {
        do throws(MemoryPressureFailure) {
            found[path] = try figures(path, read)
        } catch {
            failures.append(error)
        }
    }

    private static func folders(
        _ paths: LinuxMemoryPressurePaths, _ read: PressureFileReader
    ) throws(MemoryPressureFailure) -> [String] {
        guard isReadable(paths.controlGroups, read), isReadable(paths.mounts, read) else { return [] }
        return try ControlGroupPath.folders(
            cgroups: try read(paths.controlGroups), mounts: try read(paths.mounts), file: paths.controlGroups)
    }

    private static func isReadable(
        _ file: String, _ read: PressureFileReader
    ) -> Bool {
        do throws(MemoryPressureFailure) {
            _ = try read(file)
            return true
        } catch {
            // Absence is an answer here, not a failure: what can be read is watched.
            return false
        }
    }
}
