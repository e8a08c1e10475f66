import Dispatch
public import ImageCore
import Synchronization

/// Reports memory pressure on Linux, from the pressure stall information of the system and of the process's control
/// groups (version 2), and from the memory usage of these groups.
///
/// The kernel announces stalls if the process is permitted to request this. Other values are read at
/// `MemoryPressureThresholds.interval` if they can change the level. One thread waits and calls the handlers, until the
/// monitor is released.
///
/// The level is `.critical` if all tasks wait too long for memory, if an allocation fails, or if a group is close to
/// its limit. It is `.warning` if some tasks wait, or at a lower usage. It is never `.background`.
public final class LinuxMemoryPressureMonitor: MemoryPressureMonitor {
    private let broadcast = MemoryPressureBroadcast()
    private let failure = LatestFailures()
    private let wait: any PressureWait

    /// - Throws: `MemoryPressureFailure` if the system provides no information, or a pipe can't be created.
    public convenience init(
        paths: LinuxMemoryPressurePaths = LinuxMemoryPressurePaths(),
        thresholds: MemoryPressureThresholds = MemoryPressureThresholds()
    ) throws(MemoryPressureFailure) {
        let wait = try PollingPressureWait()
        try self.init(paths: paths, thresholds: thresholds, wait: wait) { path throws(MemoryPressureFailure) in
            try KernelFile.text(of: path)
        }
    }

    /// - Parameters:
    ///   - wait: Waits on the monitor's thread.
    ///   - read: Returns the text of a file.
    init(
        paths: LinuxMemoryPressurePaths, thresholds: MemoryPressureThresholds, wait: any PressureWait,
        read: @escaping PressureFileReader
    ) throws(MemoryPressureFailure) {
        self.wait = wait
        let watch = try PressureWatch(paths: paths, thresholds: thresholds, read: read)
        let loop = PressureLoop(
            watch: watch, thresholds: thresholds, wait: wait, broadcast: broadcast, failures: failure)
        // A serial queue doesn't block a thread of Swift's concurrency pool.
        DispatchQueue(label: "memory-pressure").async { loop.run() }
    }

    deinit { wait.end() }

    public var level: MemoryPressureLevel { broadcast.level }

    /// The failures to read or parse values in the last check. These values are ignored.
    public var failures: [MemoryPressureFailure] { failure.value }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        broadcast.observe(handler)
    }
}

final class LatestFailures: Sendable {
    private let state = Mutex<[MemoryPressureFailure]>([])

    var value: [MemoryPressureFailure] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The loop of the monitor's thread. It doesn't retain the monitor, which ends it in its deinitializer.
struct PressureLoop: Sendable {
    let watch: PressureWatch
    let thresholds: MemoryPressureThresholds
    let wait: any PressureWait
    let broadcast: MemoryPressureBroadcast
    let failures: LatestFailures

    func run() {
        var watch = watch
        let isAnnounced = arm(watch.stallFiles)
        var announced = MemoryPressureLevel.normal
        while true {
            let report = watch.check(announced: announced)
            failures.value = watch.failures
            if let report { broadcast.report(report) }
            let needsChecks = watch.needsChecks(announcesStalls: isAnnounced)
            switch wait.wait(atMost: needsChecks ? thresholds.interval : nil) {
            case .check(let level): announced = level
            case .ended: return
            }
        }
    }

    /// Requests announcements of stalls from the kernel. Returns whether all requests were accepted.
    private func arm(_ files: [String]) -> Bool {
        let triggers = PressureTrigger.all(thresholds)
        let refusals = files.map { file in triggers.filter { !wait.arm($0, on: file) }.count }
        return refusals.allSatisfy { $0 == 0 }
    }
}
