import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@testable import ImageMemoryCaching

@Suite("The monitor's thread")
struct LinuxMemoryPressureMonitorTests {
    @Test("it obeys the contract of monitors", arguments: MemoryPressureMonitorContract.rules)
    func contract(_ rule: ContractRule<MemoryPressureMonitorContract.Subject>) async throws {
        try await rule.check { try await Self.fixture() }
    }

    @Test("it asks for both announcements on every file, and waits for ever where all are granted")
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

    @Test("what is not announced is looked at, interval by interval")
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

    @Test("an announcement is told, looked after until it passes, and forgotten")
    func announcement() async throws {
        let wait = ScriptedPressureWait()
        let monitor = try Self.monitor(try PressureFolder(), wait)
        let told = MessageLog<MemoryPressureLevel>()
        let observation = monitor.observe { told.append($0) }
        await wait.log.reaches(3)
        wait.wake(.check(announced: .critical))
        await told.reaches(1)
        wait.wake(.check(announced: .normal))
        await told.reaches(2)
        await wait.log.reaches(5)
        #expect(told.messages == [.critical, .normal])
        #expect(wait.log.messages.suffix(2) == [.waited(.seconds(2)), .waited(nil)])
        withExtendedLifetime(observation) {}
    }

    @Test("a monitor that is let go ends its thread")
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

    @Test("what can't be understood is told")
    func failures() async throws {
        let folder = try PressureFolder()
        try folder.write("nonsense", to: "system")
        let wait = ScriptedPressureWait()
        let monitor = try Self.monitor(folder, wait)
        await wait.log.reaches(3)
        #expect(monitor.failures == [.malformed(file: folder.path("system"), "no line \"some\"")])
    }

    @Test("a system that tells nothing has no monitor")
    func nothing() throws {
        var paths = LinuxMemoryPressurePaths()
        paths.systemPressure = "/nowhere/memory"
        paths.controlGroups = "/nowhere/cgroup"
        #expect(throws: MemoryPressureFailure.notAvailable(file: "/nowhere/memory")) {
            try LinuxMemoryPressureMonitor(paths: paths)
        }
    }

    /// A monitor over files that the fixture writes: more waiting at each raise, none for normal.
    private static func fixture() async throws -> MemoryPressureFixture {
        let folder = try PressureFolder()
        let wait = ScriptedPressureWait(grants: false)
        let monitor = try monitor(folder, wait)
        let waited = Mutex((some: 0, full: 0, looks: 3))
        await wait.log.reaches(3)
        return MemoryPressureFixture(monitor: monitor) { level in
            let (text, looks) = waited.withLock { waited in
                if level >= .warning { waited.some += 200_000 }
                if level == .critical { waited.full += 200_000 }
                waited.looks += 1
                return (folder.stall(some: waited.some, full: waited.full), waited.looks)
            }
            do {
                try folder.write(text, to: "system")
            } catch {
                Issue.record("the test's file: \(error)")
            }
            wait.wake(.check(announced: .normal))
            await wait.log.reaches(looks)
        }
    }

    private static func monitor(
        _ folder: PressureFolder, _ wait: ScriptedPressureWait
    ) throws -> LinuxMemoryPressureMonitor {
        // The folder is held by the reader, so that it lasts as long as the thread.
        try LinuxMemoryPressureMonitor(paths: folder.paths, thresholds: MemoryPressureThresholds(), wait: wait) {
            path throws(MemoryPressureFailure) in
            try withExtendedLifetime(folder) { () throws(MemoryPressureFailure) in try KernelFile.text(of: path) }
        }
    }
}

@Suite("Waiting in poll(2)")
struct PollingPressureWaitTests {
    private let trigger = PressureTrigger.all(MemoryPressureThresholds())[0]

    @Test("a wait that was told to end ends, and so do later ones")
    func ending() throws {
        let wait = try PollingPressureWait()
        wait.end()
        #expect(wait.wait(atMost: nil) == .ended)
        #expect(wait.wait(atMost: .zero) == .ended)
    }

    @Test("an interval that has passed is time to look")
    func elapsed() throws {
        #expect(try PollingPressureWait().wait(atMost: .zero) == .check(announced: .normal))
    }

    @Test("a file with something in it is not the kernel's and is left as it is")
    func ordinaryFile() throws {
        let folder = try PressureFolder()
        let text = folder.stall()
        #expect(!(try PollingPressureWait().arm(trigger, on: folder.path("system"))))
        #expect(try KernelFile.text(of: folder.path("system")) == text)
    }

    @Test("a file that is not there is refused")
    func missingFile() throws {
        #expect(!(try PollingPressureWait().arm(trigger, on: "/nowhere/memory")))
    }

    @Test(
        "the kernel takes the request, where it has pressure stall information",
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
