/// Reports memory pressure, so that caches release memory before the system ends the process.
///
/// Promises:
/// - `level` can be read from any thread without waiting. It is `.normal` until the system reports another level.
/// - Every handler receives each report, in order, one call at a time. Lasting pressure is reported again, so that
///   caches are trimmed again. `.normal` is reported once, when the pressure ends.
/// - Handlers are called with no lock held, on a thread of the monitor, never on Swift's cooperative pool.
/// - After an observation was cancelled or released, its handler receives no new reports.
public protocol MemoryPressureMonitor: Sendable {
    /// The latest report.
    var level: MemoryPressureLevel { get }

    /// Calls `handler` with each later report until the observation is cancelled or released. Handlers must return
    /// quickly.
    func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation
}

/// Levels of memory pressure, by urgency.
public enum MemoryPressureLevel: Int, Comparable, Sendable, CaseIterable {
    /// There is enough memory.
    case normal
    /// The application is in the background and should hold little memory.
    case background
    /// Memory is short. Release a part of the caches and stop prefetching.
    case warning
    /// The system is about to end processes. Empty all caches.
    case critical

    public static func < (left: MemoryPressureLevel, right: MemoryPressureLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// An observation of a memory pressure monitor.
public typealias MemoryPressureObservation = MonitorObservation
