public import ImageCore

/// A memory pressure monitor for toolkits that report warnings, but not when they are over.
///
/// Reports each warning as `.warning`, immediately followed by `.normal`.
///
/// ```swift
/// configuration.memoryPressureMonitor = monitor
/// monitor.didReceiveWarning()   // when the toolkit sends a warning
/// ```
public struct MemoryWarningMonitor: MemoryPressureMonitor {
    private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)

    /// Creates a monitor.
    public init() {}

    /// The current level: `normal`, except while a warning is reported.
    public var level: MemoryPressureLevel { latest.condition }

    /// Calls a handler for each change of the level, until the observation is released.
    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        latest.observe(handler)
    }

    /// Reports a warning and its end to all observers. Call it on one thread at a time, and not from a handler.
    public func didReceiveWarning() {
        latest.set(.warning)
        latest.set(.normal)
    }
}
