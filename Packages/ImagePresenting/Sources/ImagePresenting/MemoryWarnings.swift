public import ImageCore

/// For toolkits that warn of a lack of memory, and never say that it suffices again: a warning is over when everyone has been told.
///
/// ```swift
/// configuration.memoryPressureMonitor = warnings
/// warnings.tell()               // when the toolkit warns
/// ```
public struct MemoryWarnings: MemoryPressureMonitor {
    private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)

    public init() {}

    public var level: MemoryPressureLevel { latest.condition }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        latest.observe(handler)
    }

    /// Tells everyone of a warning, and that it is over. To be called from one thread at a time, and not by a handler.
    public func tell() {
        latest.set(.warning)
        latest.set(.normal)
    }
}
