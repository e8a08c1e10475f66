import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageMemoryCaching

@Suite("LinuxMemoryPressureMonitor")
struct LinuxMemoryPressureMonitorTests {
    @Test("the monitor satisfies MemoryPressureMonitorContract", arguments: MemoryPressureMonitorContract.rules)
    func contract(_ rule: ContractRule<MemoryPressureMonitorContract.Subject>) async throws {
        try await rule.check { try await Self.fixture() }
    }

    @Test("the monitor requests both announcements for each file, and waits without a timeout if all are granted")
    func granted() async throws {
        let folder = try PressureFolder()
        let wait = ScriptedPressureWait()
        let monitor = try Self.monitor(folder, wait)
        await wait.log.reaches(3)
        #expect(
            wait.log.messages == [
                .armed("some 200000 2000000", folder.path("system")),
                .armed("full 200000 2000000", folder.path("system")), .waited(nil),
            ])
        withExtendedLifetime(monitor) {}
    }

    @Test("values that are not announced are checked in each interval")
    func refused() async throws {
        let folder = try PressureFolder()
        let wait = ScriptedPressureWait(grants: false)
        let monitor = try Self.monitor(folder, wait)
        await wait.log.reaches(3)
        wait.wake(.check(announced: .normal))
        await wait.log.reaches(4)
        #expect(wait.log.messages.suffix(2) == [.waited(.seconds(2)), .waited(.seconds(2))])
        withExtendedLifetime(monitor) {}
    }

    @Test("an announcement is reported, and checks follow until the pressure ends")
    func announcement() async throws {
        let wait = ScriptedPressureWait()
        let monitor = try Self.monitor(try PressureFolder(), wait)
        let levels = MessageLog<MemoryPressureLevel>()
        let observation = monitor.observe { levels.append($0) }
        await wait.log.reaches(3)
        wait.wake(.check(announced: .critical))
        await levels.reaches(1)
        wait.wake(.check(announced: .normal))
        await levels.reaches(2)
        await wait.log.reaches(5)
        #expect(levels.messages == [.critical, .normal])
        #expect(wait.log.messages.suffix(2) == [.waited(.seconds(2)), .waited(nil)])
        withExtendedLifetime(observation) {}
    }

    @Test("a released monitor ends its thread")
    func ending() async throws {
        let wait = ScriptedPressureWait()
        do {
            let monitor = try Self.monitor(try PressureFolder(), wait)
            await wait.log.reaches(3)
            withExtendedLifetime(monitor) {}
        }
        await wait.log.reaches(5)
        #expect(Set(wait.log.messages.suffix(2)) == [.endRequested, .ended])
    }

    @Test("a file that can't be parsed is reported")
    func failures() async throws {
        let folder = try PressureFolder()
        try folder.write("nonsense", to: "system")
        let wait = ScriptedPressureWait()
        let monitor = try Self.monitor(folder, wait)
        await wait.log.reaches(3)
        #expect(monitor.failures == [.malformed(file: folder.path("system"), "no line \"some\"")])
    }

    @Test("the initializer throws if the system has no information")
    func noInformation() throws {
        var paths = LinuxMemoryPressurePaths()
        paths.systemPressure = "/nowhere/memory"
        paths.controlGroups = "/nowhere/cgroup"
        #expect(throws: MemoryPressureFailure.notAvailable(file: "/nowhere/memory")) {
            try LinuxMemoryPressureMonitor(paths: paths)
        }
    }

    /// Returns a monitor that reads files of the fixture. Each raise reports more stalls, and `.normal` reports none.
    private static func fixture() async throws -> MemoryPressureFixture {
        let folder = try PressureFolder()
        let wait = ScriptedPressureWait(grants: false)
        let monitor = try monitor(folder, wait)
        let waited = Mutex((some: 0, full: 0, logCount: 3))
        await wait.log.reaches(3)
        return MemoryPressureFixture(monitor: monitor) { level in
            let (text, logCount) = waited.withLock { waited in
                if level >= .warning { waited.some += 200_000 }
                if level == .critical { waited.full += 200_000 }
                waited.logCount += 1
                return (folder.stall(some: waited.some, full: waited.full), waited.logCount)
            }
            do {
                try folder.write(text, to: "system")
            } catch {
                Issue.record("can't write the test's file: \(error)")
            }
            wait.wake(.check(announced: .normal))
            await wait.log.reaches(logCount)
        }
    }

    private static func monitor(
        _ folder: PressureFolder, _ wait: ScriptedPressureWait
    ) throws -> LinuxMemoryPressureMonitor {
        // The reader retains the folder, so that it exists as long as the thread.
        try LinuxMemoryPressureMonitor(paths: folder.paths, thresholds: MemoryPressureThresholds(), wait: wait) {
            path throws(MemoryPressureFailure) in
            try withExtendedLifetime(folder) { () throws(MemoryPressureFailure) in try KernelFile.text(of: path) }
        }
    }
}

@Suite("Waiting in poll(2)")
struct PollingPressureWaitTests {
    private let trigger = PressureTrigger.all(MemoryPressureThresholds())[0]

    @Test("end() ends the current wait and all later ones")
    func ending() throws {
        let wait = try PollingPressureWait()
        wait.end()
        #expect(wait.wait(atMost: nil) == .ended)
        #expect(wait.wait(atMost: .zero) == .ended)
    }

    @Test("a check is due after the interval")
    func elapsed() throws {
        #expect(try PollingPressureWait().wait(atMost: .zero) == .check(announced: .normal))
    }

    @Test("a file with contents is not a kernel file and is not changed")
    func ordinaryFile() throws {
        let folder = try PressureFolder()
        let text = folder.stall()
        #expect(!(try PollingPressureWait().arm(trigger, on: folder.path("system"))))
        #expect(try KernelFile.text(of: folder.path("system")) == text)
    }

    @Test("a missing file is refused")
    func missingFile() throws {
        #expect(!(try PollingPressureWait().arm(trigger, on: "/nowhere/memory")))
    }

    @Test(
        "the kernel accepts the request if it has pressure stall information",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/proc/pressure/memory")))
    func kernel() throws {
        let wait = try PollingPressureWait()
        #expect(wait.arm(trigger, on: "/proc/pressure/memory"))
        #expect(wait.wait(atMost: .zero) == .check(announced: .normal))
        var nonsense = trigger
        nonsense.kind = "none"
        #expect(!wait.arm(nonsense, on: "/proc/pressure/memory"))
    }
}
