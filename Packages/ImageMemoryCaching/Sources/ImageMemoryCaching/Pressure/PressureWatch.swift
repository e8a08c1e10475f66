import ImageCore

/// The paths of the files that `LinuxMemoryPressureMonitor` reads.
public struct LinuxMemoryPressurePaths: Hashable, Sendable {
    /// The pressure stall information of the system.
    public var systemPressure = "/proc/pressure/memory"
    /// The control groups of the process.
    public var controlGroups = "/proc/self/cgroup"
    /// The mounted file systems.
    public var mounts = "/proc/self/mountinfo"

    /// Creates the standard paths.
    public init() {}
}

/// Reads the system's values and computes the level.
struct PressureWatch {
    private let read: PressureFileReader
    private var gauge: PressureGauge
    /// The readable files with pressure stall information.
    let stallFiles: [String]
    /// The folders of the control groups that measure memory.
    let groupFolders: [String]
    /// The failures of the last check.
    private(set) var failures: [MemoryPressureFailure] = []

    /// - Throws: The reason if no file is readable.
    init(
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

    /// Reads all values. Returns the level to report, or nil.
    mutating func check(announced: MemoryPressureLevel = .normal) -> MemoryPressureLevel? {
        failures = []
        var reading = PressureReading()
        reading.announced = announced
        for file in stallFiles { add(file, in: &reading.stalls, PressureStall.init(file:read:)) }
        for folder in groupFolders { add(folder, in: &reading.groups, ControlGroupMemory.init(folder:read:)) }
        return gauge.update(reading)
    }

    /// Returns whether the level can change without an announcement: by the usage of a group, or when pressure ends.
    /// - Parameter announcesStalls: Whether the kernel announces stalls.
    func needsChecks(announcesStalls: Bool) -> Bool {
        !announcesStalls || !groupFolders.isEmpty || gauge.level > .normal
    }

    /// Stores the values of a path, or the failure.
    private mutating func add<Values>(
        _ path: String, in found: inout [String: Values],
        _ values: (String, PressureFileReader) throws(MemoryPressureFailure) -> Values
    ) {
        do throws(MemoryPressureFailure) {
            found[path] = try values(path, read)
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

    private static func isReadable(_ file: String, _ read: PressureFileReader) -> Bool {
        do throws(MemoryPressureFailure) {
            _ = try read(file)
            return true
        } catch {
            // A missing file is not a failure: the watch reads the others.
            return false
        }
    }
}
