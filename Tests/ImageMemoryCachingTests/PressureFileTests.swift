import Testing

@testable import ImageMemoryCaching

@Suite("Parsing of kernel files")
struct PressureFileTests {
    @Test("stall totals are read, and other fields are ignored")
    func stall() throws {
        let text = "some avg10=1.50 avg60=0.02 total=123 later=1\nfull avg10=0.00 total=45\nmore total=9\n"
        #expect(try PressureStall(parsing: text, file: "f") == PressureStall(some: 123, full: 45))
    }

    @Test(
        "a file without valid stall information throws an error with the malformed part",
        arguments: [
            ("", "no line \"some\""), ("some total=1\n", "no line \"full\""),
            ("some total=-1\nfull total=1", "some total=-1"), ("some total=1\nfull avg10=0.00", "full avg10=0.00"),
            ("some total=99999999999999999999\nfull total=1", "some total=99999999999999999999"),
        ])
    func malformedStall(_ text: String, _ part: String) {
        #expect(throws: MemoryPressureFailure.malformed(file: "f", part)) {
            try PressureStall(parsing: text, file: "f")
        }
    }

    @Test(
        "invalid values of a control group throw an error with the malformed part",
        arguments: [
            ("memory.current", "-1", "-1"), ("memory.current", "many", "many"), ("memory.max", "", "empty"),
            ("memory.stat", "anon 1", "no line \"inactive_file\""),
            ("memory.events", "oom x\noom_kill 1", "x"),
        ])
    func malformedGroup(_ name: String, _ text: String, _ part: String) {
        var files = [
            "/g/memory.current": "5", "/g/memory.high": "max", "/g/memory.max": "10",
            "/g/memory.stat": "inactive_file 1", "/g/memory.events": "oom 0\noom_kill 0",
        ]
        files["/g/" + name] = text
        #expect(throws: MemoryPressureFailure.malformed(file: "/g/" + name, part)) {
            try ControlGroupMemory(folder: "/g") { [files] file in files[file] ?? "" }
        }
    }

    private static let mounts = """
        25 1 0:5 / /proc rw,relatime shared:1 - proc proc rw
        31 25 0:27 / /sys/fs/cgroup/unified rw,relatime shared:9 master:2 - cgroup2 cgroup2 rw
        32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
        """

    @Test("the folders are those of the group and its ancestors, the group first")
    func groupFolders() throws {
        let folders = try ControlGroupPath.folders(
            cgroups: "4:memory:/x\n0::/user.slice/app\n", mounts: Self.mounts, file: "f")
        let mount = "/sys/fs/cgroup/unified"
        #expect(folders == [mount + "/user.slice/app", mount + "/user.slice", mount])
    }

    @Test("a mount of a part of the hierarchy contains the group without that part")
    func partialMount() throws {
        let mounts = "31 25 0:27 /box/7 /sys/fs/cgroup ro - cgroup2 cgroup rw"
        #expect(
            try ControlGroupPath.folders(cgroups: "0::/box/7/app", mounts: mounts, file: "f")
                == ["/sys/fs/cgroup/app", "/sys/fs/cgroup"])
        #expect(
            try ControlGroupPath.folders(cgroups: "0::/../other", mounts: mounts, file: "f") == ["/sys/fs/cgroup"])
    }

    @Test("without version 2 there are no folders")
    func noGroups() throws {
        #expect(try ControlGroupPath.folders(cgroups: "0::/app", mounts: "", file: "f").isEmpty)
        #expect(try ControlGroupPath.folders(cgroups: "4:memory:/x", mounts: Self.mounts, file: "f").isEmpty)
    }

    @Test("a group without a path throws an error")
    func malformedPath() {
        #expect(throws: MemoryPressureFailure.malformed(file: "f", "0::app")) {
            try ControlGroupPath.folders(cgroups: "0::app", mounts: Self.mounts, file: "f")
        }
    }
}
