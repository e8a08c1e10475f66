import CNetworkNamespace
import Foundation
import ImageConnectivity
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The connectivity of a network of its own")
struct KernelRoutesTests {
    @Test(
        "a default route is noticed when it comes and when it goes, with its link too",
        .enabled(if: PrivateNetwork.isAvailable, "needs root on Linux and the command ip: apt-get install iproute2"),
        .timeLimit(.minutes(10)))
    func kernel() async throws {
        let network = try await PrivateNetwork()
        let monitor = try await network.perform { try LinuxConnectivityMonitor() }
        let log = MessageLog<Connectivity>()
        let observation = monitor.observe { log.append($0) }
        #expect(monitor.condition == .offline)

        let changes = [
            "link set lo up", "route add 10.0.0.0/8 dev lo", "-6 route add default dev lo", "-6 route del default",
            "-6 addr del ::1/128 dev lo", "route add default dev lo", "link set lo down",
        ]
        for (change, told) in zip(changes, [0, 0, 1, 2, 2, 3, 4]) {
            try await network.perform { try PrivateNetwork.ip(change) }
            await log.reaches(told)
        }
        #expect(log.messages == [.online, .offline, .online, .offline])
        #expect(monitor.failure == nil)
        withExtendedLifetime(observation) {}
    }
}

/// A thread with a network of its own, in which nothing is but a loopback that is down.
final class PrivateNetwork: Sendable {
    static let isAvailable = getuid() == 0 && FileManager.default.isExecutableFile(atPath: command)

    struct Refusal: Error {
        var call: String
        var code: Int32
    }

    private static let command = "/usr/sbin/ip"

    /// What the thread has still to do; nil ends it.
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
                continuation.resume(returning: cnn_leave_network())
                while let job = jobs.next() { job() }
            }.start()
        }
        guard code == 0 else { throw Refusal(call: "unshare", code: code) }
    }

    deinit { jobs.append(nil) }

    func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            jobs.append { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Runs `ip` with these words, in the network of the calling thread. (Foundation's `Process` waits for ever there.)
    static func ip(_ words: String) throws {
        let code = unsafe cnn_run("\(command) \(words)")
        guard code == 0 else { throw Refusal(call: words, code: code) }
    }
}
