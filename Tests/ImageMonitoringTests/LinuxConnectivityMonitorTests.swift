import CNetworkNamespace
import Foundation
import ImageContractTesting
import ImageCore
import LeakChecking
import Synchronization
import Testing

@testable import ImageMonitoring
@testable import ImageTesting

@Suite("Linux connectivity monitor")
struct LinuxConnectivityMonitorTests {
    @Test(
        "obeys ConditionMonitorContract",
        arguments: ConditionMonitorContract.rules(first: Connectivity.online, second: .offline))
    func contract(_ rule: ContractRule<ConditionMonitorContract.Subject<Connectivity>>) async throws {
        try await rule.check {
            let isOnline = Watched(true)
            let monitor = LinuxConnectivityMonitor { isOnline.value }
            return ConditionFixture(monitor: monitor) { condition in
                isOnline.change { $0 = condition == .online }
                monitor.update()
            }
        }
    }

    @Test("the loopback interface alone is no network, and a probe can be repeated")
    func probe() throws {
        let monitor = try LinuxConnectivityMonitor()
        let condition = monitor.condition
        for _ in 0..<3 { monitor.update() }
        #expect(monitor.condition == condition)
    }

    @Test("a released probe and monitor leave no file open")
    func openFiles() async {
        await #expect(processExitsWith: .success) {
            try await checkForOpenFiles {
                _ = RouteProbe().hasRoute()
                _ = try LinuxConnectivityMonitor().condition
            }
        }
    }
}

@Suite("Connectivity of a separate network namespace")
struct KernelRoutesTests {
    @Test(
        "reports when a default route is added, and when it or its link is removed",
        .enabled(if: PrivateNetwork.isAvailable, "needs root on Linux and the command ip: apt-get install iproute2"),
        .timeLimit(.minutes(10)))
    func observesDefaultRoute() async throws {
        let network = try await PrivateNetwork()
        let monitor = try await network.perform { try LinuxConnectivityMonitor() }
        let log = MessageLog<Connectivity>()
        let observation = monitor.observe { log.append($0) }
        #expect(monitor.condition == .offline)

        let changes = [
            "link set lo up", "route add 10.0.0.0/8 dev lo", "-6 route add default dev lo", "-6 route del default",
            "-6 addr del ::1/128 dev lo", "route add default dev lo", "link set lo down",
        ]
        for (change, reportCount) in zip(changes, [0, 0, 1, 2, 2, 3, 4]) {
            try await network.perform { try PrivateNetwork.ip(change) }
            await log.waitForCount(reportCount)
        }
        #expect(log.messages == [.online, .offline, .online, .offline])
        withExtendedLifetime(observation) {}
    }
}

/// A thread with its own network namespace, which contains only a loopback interface that is down.
final class PrivateNetwork: Sendable {
    static let isAvailable = getuid() == 0 && FileManager.default.isExecutableFile(atPath: command)

    struct Failure: Error {
        var call: String
        var code: Int32
    }

    private static let command = "/usr/sbin/ip"

    /// The pending jobs of the thread. Nil ends it.
    private final class Jobs: Sendable {
        private let jobs = Mutex<[(@Sendable () -> Void)?]>([])
        private let count = DispatchSemaphore(value: 0)

        func append(_ job: (@Sendable () -> Void)?) {
            jobs.withLock { $0.append(job) }
            count.signal()
        }

        func next() -> (@Sendable () -> Void)? {
            count.wait()
            return jobs.withLock { $0.removeFirst() }
        }
    }

    private let jobs = Jobs()

    init() async throws {
        let code = await withCheckedContinuation { continuation in
            Thread { [jobs] in
                continuation.resume(returning: cnn_enter_new_namespace())
                while let job = jobs.next() { job() }
            }.start()
        }
        guard code == 0 else { throw Failure(call: "unshare", code: code) }
    }

    deinit { jobs.append(nil) }

    func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            jobs.append { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Runs `ip` with arguments in the namespace of the calling thread. Foundation's `Process` never returns there.
    static func ip(_ arguments: String) throws {
        let code = unsafe cnn_run("\(command) \(arguments)")
        guard code == 0 else { throw Failure(call: arguments, code: code) }
    }
}
