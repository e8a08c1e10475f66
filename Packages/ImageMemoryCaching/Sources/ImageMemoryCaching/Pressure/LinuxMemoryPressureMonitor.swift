import Dispatch
public import ImageCore
import Synchronization

/// Tells of memory pressure as Linux sees it: pressure stall information of the system and of the process's control groups
/// (version 2), and how near those groups are to their limits.
///
/// The kernel announces stalls where it lets the process ask for that; the rest is looked at every
/// `MemoryPressureThresholds.interval`, and only where there is something to see. One thread of its own waits, looks and
/// calls the handlers; it ends when the monitor is let go. Where the system tells nothing, there is no monitor.
///
/// Levels: `.critical` when all tasks wait for memory too long, when memory could not be had, or near a limit; `.warning` when
/// some wait, or not far from a limit. `.background` is for applications with windows, which know it themselves.
public final class LinuxMemoryPressureMonitor: MemoryPressureMonitor {
    private let broadcast = MemoryPressureBroadcast()
    private let failure = LatestFailures()
    private let wait: any PressureWait

    /// - Throws: `MemoryPressureFailure` when the system tells nothing of memory pressure, or no pipe is to be had.
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
    ///   - wait: what the monitor's thread waits in.
    ///   - read: the text of a file by its path.
    package init(
        paths: LinuxMemoryPressurePaths, thresholds: MemoryPressureThresholds, wait: any PressureWait,
        read: @escaping PressureFileReader
    ) throws(MemoryPressureFailure) {
        self.wait = wait
        let watch = try PressureWatch(paths: paths, thresholds: thresholds, read: read)
        let loop = PressureLoop(
            watch: watch, thresholds: thresholds, wait: wait, broadcast: broadcast, failures: failure)
        // A serial queue has a thread beside those that Swift's concurrency shares with concurrent queues.
        DispatchQueue(label: "memory-pressure").async { loop.run() }
    }

    deinit { wait.end() }

    public var level: MemoryPressureLevel { broadcast.level }

    /// What could not be read or understood when the figures were looked at last; those count as absent.
    public var failures: [MemoryPressureFailure] { failure.value }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        broadcast.observe(handler)
    }
}

/// What the last look could not read.
final class LatestFailures: Sendable {
    private let state = Mutex<[MemoryPressureFailure]>([])

    var value: [MemoryPressureFailure] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// What the monitor's thread does until it is told to end. Does not hold the monitor, whose end ends it.
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
            let report = watch.look(announced: announced)
            failures.value = watch.failures
            if let report { broadcast.report(report) }
            let needsLooking = watch.needsLooking(announcesStalls: isAnnounced)
            switch wait.wait(atMost: needsLooking ? thresholds.interval : nil) {
            case .look(let level): announced = level
            case .ended: return
            }
        }
    }

    /// Asks the kernel to announce stalls; false when one of the files must be looked at instead.
    private func arm(_ files: [String]) -> Bool {
        let triggers = PressureTrigger.all(thresholds)
        let refusals = files.map { file in triggers.filter { !wait.arm($0, on: file) }.count }
        return refusals.allSatisfy { $0 == 0 }
    }
}
