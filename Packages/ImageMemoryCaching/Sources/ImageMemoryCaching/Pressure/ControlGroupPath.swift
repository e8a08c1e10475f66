/// Finds the folders of the process's control group and of its ancestors. The limits of all of them apply.
///
/// Reads `/proc/self/cgroup` and `/proc/self/mountinfo` (manual pages cgroups(7) and proc(5)).
enum ControlGroupPath {
    /// Returns the folder of the process's group first and the root last. Empty if version 2 is not mounted.
    static func folders(
        cgroups: String, mounts: String, file: String
    ) throws(MemoryPressureFailure) -> [String] {
        guard let mount = mount(in: mounts) else { return [] }
        guard let line = cgroups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return [] }
        let path = line.dropFirst(3)
        guard path.hasPrefix("/") else { throw .malformed(file: file, String(line)) }
        var names = path.split(separator: "/")
        // The group is outside of the mounted part, so only the mount point is visible.
        if names.contains("..") { return [mount.point] }
        if names.starts(with: mount.root) { names.removeFirst(mount.root.count) }
        return (0...names.count).reversed().map { ([mount.point[...]] + names.prefix($0)).joined(separator: "/") }
    }

    /// Returns where version 2 is mounted, and the path of the group that is mounted there.
    private static func mount(in text: String) -> (point: String, root: [Substring])? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash >= 5, dash + 1 < fields.count else { continue }
            if fields[dash + 1] == "cgroup2" { return (String(fields[4]), fields[3].split(separator: "/")) }
        }
        return nil
    }
}
