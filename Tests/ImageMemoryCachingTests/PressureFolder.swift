import Foundation
import ImageCore
import Testing

@testable import ImageMemoryCaching

/// A folder with the files in which Linux reports memory usage. It is removed when the object is released.
final class PressureFolder: Sendable {
    let url: URL

    /// - Parameter withGroup: Whether the process is in a control group with memory limit 1,000 bytes.
    init(withGroup: Bool = false) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "pressure-\(UUID().uuidString)")
        try write(stall(), to: "system")
        try write("1:name=systemd:/\n0::/app\n", to: "cgroup")
        try write("30 1 0:1 / \(url.path)/groups rw - cgroup2 cgroup2 rw\n", to: "mountinfo")
        guard withGroup else { return }
        try write(stall(), to: "groups/app/memory.pressure")
        try write("max\n", to: "groups/app/memory.high")
        try write("1000\n", to: "groups/app/memory.max")
        try writeGroup()
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record("can't remove the test's folder: \(error)")
        }
    }

    var paths: LinuxMemoryPressurePaths {
        var paths = LinuxMemoryPressurePaths()
        paths.systemPressure = path("system")
        paths.controlGroups = path("cgroup")
        paths.mounts = path("mountinfo")
        return paths
    }

    func path(_ name: String) -> String { url.path + "/" + name }

    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name)) }

    func writeGroup(current: Int = 100, inactive: Int = 0, oom: Int = 0, kills: Int = 0) throws {
        try write("\(current)\n", to: "groups/app/memory.current")
        try write("anon 1\ninactive_file \(inactive)\nactive_file 2\n", to: "groups/app/memory.stat")
        try write("low 0\nhigh 9\nmax 7\noom \(oom)\noom_kill \(kills)\n", to: "groups/app/memory.events")
    }

    /// Returns pressure stall information, in microseconds since the start.
    func stall(some: Int = 0, full: Int = 0) -> String {
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(some)\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=\(full)\n"
    }

    func watch() throws -> PressureWatch {
        try PressureWatch(paths: paths, thresholds: MemoryPressureThresholds()) { path throws(MemoryPressureFailure) in
            try KernelFile.text(of: path)
        }
    }
}
