public import ImageCore

/// A monitor of memory pressure that a test controls.
public final class FakeMemoryPressureMonitor: MemoryPressureMonitor {
    private let broadcast = MemoryPressureBroadcast()

    /// Creates a monitor with the level `.normal`.
    public init() {}

    public var level: MemoryPressureLevel { broadcast.level }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        broadcast.observe(handler)
    }

    /// Reports a level. Returns after all handlers were called. Call it from one thread at a time.
    public func report(_ level: MemoryPressureLevel) { broadcast.report(level) }
}
