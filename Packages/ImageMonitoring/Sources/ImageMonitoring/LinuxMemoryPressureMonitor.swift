import Dispatch
public import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reports memory pressure on Linux, from the time that tasks wait for memory, and from the memory of the process's
/// control groups (version 2). It reads the kernel's files every two seconds on a queue of its own, until it is released.
///
/// The level is `.critical` if all tasks wait too long for memory, if an allocation fails, or if a group is close to
/// its limit. It is `.warning` if some tasks wait, or at a lower usage. Tasks that go on to wait, and further failures,
/// are reported again.
public final class LinuxMemoryPressureMonitor: ConditionMonitor {
    private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)
    private let gauge: Mutex<MemoryPressureGauge>
    private let timer = Mutex<DispatchEvents?>(nil)

    /// Creates a monitor.
    ///
    /// - Throws: `MonitoringFailure` if the system has no information, such as an old kernel or a sandbox.
    public convenience init() throws(MonitoringFailure) {
        try self.init { try? String(contentsOfFile: $0, encoding: .utf8) }
        let timer = DispatchEvents { queue in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(
                deadline: .now(), repeating: .seconds(MemoryPressureGauge.interval), leeway: .milliseconds(200))
            return timer
        } handler: { [weak self] in
            self?.check()
        }
        self.timer.withLock { $0 = timer }
    }

    /// Creates a monitor that checks only when a test calls `check`.
    ///
    /// - Parameter read: Returns the text of a file, or nil if it can't be read.
    init(read: @escaping @Sendable (String) -> String?) throws(MonitoringFailure) {
        guard let gauge = MemoryPressureGauge(read: read) else {
            throw MonitoringFailure("neither /proc/pressure/memory nor the memory of a control group can be read")
        }
        self.gauge = Mutex(gauge)
    }

    public var condition: MemoryPressureLevel { latest.condition }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MonitorObservation {
        latest.observe(handler)
    }

    /// Reads the files and reports the level. Call it once an interval.
    func check() {
        let reading = gauge.withLock { $0.update() }
        latest.report(reading.level, repeats: reading.hasDistress)
    }
}
