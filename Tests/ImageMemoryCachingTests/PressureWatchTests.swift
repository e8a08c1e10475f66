import ImageCore
import Testing

@testable import ImageMemoryCaching

@Suite("Checks of memory pressure on Linux")
struct PressureWatchTests {
    @Test("the level is a warning if some tasks wait a tenth of the time, and critical if all tasks wait")
    func stalls() throws {
        let folder = try PressureFolder()
        var watch = try folder.watch()
        #expect(watch.check() == nil)
        try folder.write(folder.stall(some: 199_999, full: 0), to: "system")
        #expect(watch.check() == nil)
        try folder.write(folder.stall(some: 399_999, full: 0), to: "system")
        #expect(watch.check() == .warning)
        try folder.write(folder.stall(some: 900_000, full: 200_000), to: "system")
        #expect(watch.check() == .critical)
        #expect(watch.check() == .normal)
        #expect(watch.check() == nil)
    }

    @Test("stalls before the first check are not pressure")
    func stallsBeforeFirstCheck() throws {
        let folder = try PressureFolder(withGroup: true)
        try folder.write(folder.stall(some: 90_000_000, full: 80_000_000), to: "system")
        try folder.writeGroup(oom: 5, kills: 5)
        var watch = try folder.watch()
        #expect(watch.check() == nil)
    }

    @Test("lasting stalls are reported each time")
    func lastingStalls() throws {
        let folder = try PressureFolder()
        var watch = try folder.watch()
        _ = watch.check()
        for count in 1...3 {
            try folder.write(folder.stall(some: count * 200_000), to: "system")
            #expect(watch.check() == .warning)
        }
    }

    @Test("an announcement sets the level before the values in the files do")
    func announced() throws {
        var watch = try PressureFolder().watch()
        #expect(watch.check(announced: .warning) == .warning)
        #expect(watch.check(announced: .critical) == .critical)
        #expect(watch.check() == .normal)
    }

    @Test("the stalls of the process's own group count like those of the system")
    func groupStalls() throws {
        let folder = try PressureFolder(withGroup: true)
        var watch = try folder.watch()
        _ = watch.check()
        try folder.write(folder.stall(some: 500_000, full: 500_000), to: "groups/app/memory.pressure")
        #expect(watch.check() == .critical)
    }

    @Test("usage close to the group's limit is reported once, and ends five percentage points below the threshold")
    func usage() throws {
        let folder = try PressureFolder(withGroup: true)
        var watch = try folder.watch()
        let steps: [(Int, MemoryPressureLevel?)] = [
            (849, nil), (850, .warning), (949, nil), (950, .critical), (901, nil), (899, .warning), (801, nil),
            (799, .normal), (849, nil),
        ]
        for (current, level) in steps {
            try folder.writeGroup(current: current)
            #expect(watch.check() == level, "at \(current) of 1000 bytes")
        }
    }

    @Test("file pages that were not used recently don't count against the limit")
    func fileCache() throws {
        let folder = try PressureFolder(withGroup: true)
        var watch = try folder.watch()
        try folder.writeGroup(current: 1_000, inactive: 200)
        #expect(watch.check() == nil)
        try folder.writeGroup(current: 1_000, inactive: 100)
        #expect(watch.check() == .warning)
    }

    @Test("the lower of the two limits applies, even if it is set later")
    func limits() throws {
        let folder = try PressureFolder(withGroup: true)
        try folder.writeGroup(current: 480)
        var watch = try folder.watch()
        #expect(watch.check() == nil)
        try folder.write("500\n", to: "groups/app/memory.high")
        #expect(watch.check() == .critical)
        try folder.write("max\n", to: "groups/app/memory.high")
        try folder.write("max\n", to: "groups/app/memory.max")
        #expect(watch.check() == .normal)
    }

    @Test("each failed allocation is critical", arguments: [(1, 0), (0, 1)])
    func failures(_ oom: Int, _ kills: Int) throws {
        let folder = try PressureFolder(withGroup: true)
        var watch = try folder.watch()
        _ = watch.check()
        for count in 1...2 {
            try folder.writeGroup(oom: oom * count, kills: kills * count)
            #expect(watch.check() == .critical)
        }
        #expect(watch.check() == .normal)
    }

    @Test("a damaged file is reported, its values are ignored, and the others are used")
    func damage() throws {
        let folder = try PressureFolder(withGroup: true)
        var watch = try folder.watch()
        _ = watch.check()
        try folder.write("some avg10=0.00 total=lots\n", to: "system")
        try folder.write("", to: "groups/app/memory.current")
        try folder.write(folder.stall(some: 200_000), to: "groups/app/memory.pressure")
        #expect(watch.check() == .warning)
        #expect(
            watch.failures == [
                .malformed(file: folder.path("system"), "some avg10=0.00 total=lots"),
                .malformed(file: folder.path("groups/app/memory.current"), "empty"),
            ])
        try folder.write(folder.stall(), to: "system")
        try folder.writeGroup()
        #expect(watch.check() == .normal)
        #expect(watch.failures.isEmpty)
    }

    @Test("a group that is removed while it is watched is reported")
    func removedGroup() throws {
        let folder = try PressureFolder(withGroup: true)
        var watch = try folder.watch()
        _ = watch.check()
        try folder.remove("groups/app")
        #expect(watch.check() == nil)
        #expect(
            watch.failures == [
                .notAvailable(file: folder.path("groups/app/memory.pressure")),
                .notAvailable(file: folder.path("groups/app/memory.current")),
            ])
    }

    @Test("the initializer throws if the system has no information")
    func noInformation() throws {
        let folder = try PressureFolder()
        for name in ["system", "cgroup", "mountinfo"] { try folder.remove(name) }
        #expect(throws: MemoryPressureFailure.notAvailable(file: folder.path("system"))) { try folder.watch() }
    }

    @Test("either the values of the system or those of the control groups are sufficient")
    func oneSource() throws {
        let folder = try PressureFolder(withGroup: true)
        try folder.remove("mountinfo")
        #expect(try folder.watch().groupFolders.isEmpty)
        let other = try PressureFolder(withGroup: true)
        try other.remove("system")
        let watch = try other.watch()
        #expect(watch.stallFiles == [other.path("groups/app/memory.pressure")])
        #expect(watch.groupFolders == [other.path("groups/app")])
    }

    @Test(
        "no checks are necessary if the kernel announces stalls, except with limits or under pressure")
    func needsChecks() throws {
        let folder = try PressureFolder()
        var watch = try folder.watch()
        _ = watch.check()
        #expect(!watch.needsChecks(announcesStalls: true))
        #expect(watch.needsChecks(announcesStalls: false))
        _ = watch.check(announced: .warning)
        #expect(watch.needsChecks(announcesStalls: true))
        #expect(try PressureFolder(withGroup: true).watch().needsChecks(announcesStalls: true))
    }
}
