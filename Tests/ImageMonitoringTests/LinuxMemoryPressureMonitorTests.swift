import Dispatch
import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@testable import ImageMonitoring

@Suite("Linux memory pressure monitor")
struct LinuxMemoryPressureMonitorTests {
    private let files = KernelFiles()

    @Test(
        "obeys ConditionMonitorContract",
        arguments: ConditionMonitorContract.rules(first: MemoryPressureLevel.normal, second: .critical))
    func contract(_ rule: ContractRule<ConditionMonitorContract.Subject<MemoryPressureLevel>>) async throws {
        try await rule.check {
            let files = KernelFiles()
            files.setUsage(0)
            let monitor = try files.monitor()
            return ConditionFixture(monitor: monitor) { level in
                files.setUsage(level == .critical ? 100 : 0)
                monitor.check()
            }
        }
    }

    @Test("a wait of some tasks for a tenth of the interval is a warning, a wait of all tasks is critical")
    func stalls() throws {
        let levels = try levels(
            { $0.setStall(some: 5_000_000, full: 5_000_000) }, { $0.setStall(some: 5_199_999, full: 5_000_000) },
            { $0.setStall(some: 5_399_999, full: 5_000_000) }, { $0.setStall(some: 5_599_999, full: 5_200_000) },
            { _ in })
        #expect(levels == [.normal, .normal, .warning, .critical, .normal])
    }

    @Test("a shorter wait in a group doesn't lower the level of the system")
    func twoStalls() throws {
        files["memory.pressure"] = "some total=0\nfull total=0\n"
        let levels = try levels(
            { _ in },
            { files in
                files.setStall(some: 200_000, full: 200_000)
                files["memory.pressure"] = "some total=200000\nfull total=0\n"
            })
        #expect(levels == [.normal, .critical])
    }

    @Test("waits that go on are reported again, and the end of the pressure once")
    func lastingStall() throws {
        files.setStall(some: 0, full: 0)
        let monitor = try files.monitor()
        let log = MessageLog<MemoryPressureLevel>()
        let observation = monitor.observe { log.append($0) }
        for some in [0, 200_000, 400_000, 400_000, 400_000] {
            files.setStall(some: some, full: 0)
            monitor.check()
        }
        #expect(log.messages == [.warning, .warning, .normal])
        withExtendedLifetime(observation) {}
    }

    @Test("usage that goes on is reported once")
    func lastingUsage() throws {
        files.setUsage(90)
        let monitor = try files.monitor()
        let log = MessageLog<MemoryPressureLevel>()
        let observation = monitor.observe { log.append($0) }
        for _ in 0..<3 { monitor.check() }
        #expect(log.messages == [.warning])
        withExtendedLifetime(observation) {}
    }

    @Test("the end of an observation of the system is told, so that its file is closed")
    func ends() async throws {
        let ended = OneTimeSignal()
        do {
            _ = DispatchEvents(
                of: { DispatchSource.makeTimerSource(queue: $0) }, onEnd: { ended.send() }, handler: {})
        }
        try await ended.wait()
    }

    @Test("usage is a warning from 85 % of a group's limit and critical from 95 %, and each level ends 5 % below")
    func usage() throws {
        let usages = [84, 85, 94, 95, 91, 89, 81, 79, 95, 81]
        let levels = try levels(usages.map { usage in { $0.setUsage(usage) } })
        #expect(
            levels == [
                .normal, .warning, .warning, .critical, .critical, .warning, .warning, .normal, .critical, .warning,
            ])
    }

    @Test("inactive file pages don't count, and the lower limit applies")
    func pagesAndLimits() throws {
        let levels = try levels(
            { $0.setUsage(90) }, { $0["memory.stat"] = "anon 1\ninactive_file 20\n" }, { $0["memory.high"] = "70\n" },
            { $0["memory.high"] = "max\n" }, { $0["memory.max"] = "max\n" })
        #expect(levels == [.warning, .normal, .critical, .normal, .normal])
    }

    @Test("each failed allocation is critical", arguments: ["oom", "oom_kill"])
    func failures(_ event: String) throws {
        let other = event == "oom" ? "oom_kill 0" : "oom 0"
        let levels = try levels(
            [3, 4, 4, 6].map { count in { $0["memory.events"] = "\(other)\n\(event) \(count)\n" } })
        #expect(levels == [.normal, .critical, .normal, .critical])
    }

    @Test(
        "values that can't be parsed indicate no pressure",
        arguments: ["", "nonsense", "some", "some total=", "some total=-1\nfull total=-1", "max 99999999999999999999"])
    func malformed(_ text: String) throws {
        let names = ["memory.current", "memory.stat", "memory.events", "memory.high", "memory.max", "memory.pressure"]
        let levels = try levels(names.map { name in { $0[name] = text } })
        #expect(levels.allSatisfy { $0 == .normal })
    }

    @Test("the limits of the ancestors of a group apply too, and folders that don't exist are ignored")
    func ancestors() throws {
        #expect(
            MemoryPressureGauge.controlGroups("4:memory:/x\n0::/user.slice/app\n")
                == ["/sys/fs/cgroup/user.slice/app", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"])
        #expect(MemoryPressureGauge.controlGroups("4:memory:/x\n").isEmpty)
        files.texts.change { $0["/proc/self/cgroup"] = "0::/host/app\n" }
        files.setUsage(90)
        let monitor = try files.monitor()
        monitor.check()
        #expect(monitor.condition == .warning)
        for (name, text) in [("current", "10\n"), ("max", "100\n")] { files["host/app/memory." + name] = text }
        let withOwn = try files.monitor()
        withOwn.check()
        #expect(withOwn.condition == .warning, "the highest usage counts")
    }

    @Test("the initializer throws if the system has no information")
    func noInformation() {
        #expect(throws: MonitoringError.self) { try LinuxMemoryPressureMonitor { _ in nil } }
    }

    @Test(
        "the kernel's files are read", .enabled(if: FileManager.default.fileExists(atPath: "/proc/pressure/memory")))
    func kernel() throws {
        let monitor = try LinuxMemoryPressureMonitor()
        monitor.check()
        #expect(MemoryPressureLevel.allCases.contains(monitor.condition))
    }

    /// Returns the levels after each change of a system without pressure.
    private func levels(_ changes: @Sendable (KernelFiles) -> Void...) throws -> [MemoryPressureLevel] {
        try levels(changes)
    }

    private func levels(_ changes: [@Sendable (KernelFiles) -> Void]) throws -> [MemoryPressureLevel] {
        files.setUsage(0)
        files.setStall(some: 0, full: 0)
        let monitor = try files.monitor()
        return changes.map { change in
            change(files)
            monitor.check()
            return monitor.condition
        }
    }
}

/// The files of a kernel with one control group, the root, whose limit is 100 bytes.
final class KernelFiles: Sendable {
    let texts = Watched<[String: String]>([
        "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.stat": "inactive_file 0\n",
        "/sys/fs/cgroup/memory.high": "max\n", "/sys/fs/cgroup/memory.max": "100\n",
    ])

    /// A file of the control group.
    subscript(name: String) -> String? {
        get { texts.value["/sys/fs/cgroup/" + name] }
        set { texts.change { $0["/sys/fs/cgroup/" + name] = newValue } }
    }

    func setUsage(_ byteCount: Int) { texts.change { $0["/sys/fs/cgroup/memory.current"] = "\(byteCount)\n" } }

    func setStall(some: Int, full: Int) {
        let averages = "avg10=1.50 avg60=0.02 avg300=0.00"
        let text = "some \(averages) total=\(some)\nfull \(averages) total=\(full)\n"
        texts.change { $0["/proc/pressure/memory"] = text }
    }

    func monitor() throws -> LinuxMemoryPressureMonitor { try LinuxMemoryPressureMonitor { self.texts.value[$0] } }
}
