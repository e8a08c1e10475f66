/// Tells when memory runs short, so that what can be had again is given back before the system takes the process.
///
/// Promises:
/// - `level` may be asked from any thread and returns at once; it is `.normal` until the system has said otherwise.
/// - Every handler is told what the system reports, in order, one call at a time. Pressure that lasts is told again, so that
///   what has been filled since is trimmed again; `.normal` is told once, when the pressure is over.
/// - A handler is called with no lock held, on a thread of the monitor's, never on one of Swift's cooperative pool.
/// - What is reported after an observation was cancelled, or let go, is not told to its handler.
public protocol MemoryPressureMonitor: Sendable {
    /// What was reported last.
    var level: MemoryPressureLevel { get }

    /// Calls `handler` with each report from now on, until the observation is cancelled or let go. Handlers return quickly.
    func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation
}

/// How short of memory the process is, by urgency.
public enum MemoryPressureLevel: Int, Comparable, Sendable, CaseIterable {
    /// Memory for everyone.
    case normal
    /// Nobody sees the application: it should hold little, and may go on working.
    case background
    /// Memory is short: what can be had again at a price should go in part, and nothing be fetched ahead of need.
    case warning
    /// The system is about to take memory by force: everything that can be had again should go.
    case critical

    public static func < (left: MemoryPressureLevel, right: MemoryPressureLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Keeps a handler with a monitor of memory pressure.
public typealias MemoryPressureObservation = MonitorObservation
