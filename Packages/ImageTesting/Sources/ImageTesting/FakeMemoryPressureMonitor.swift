public import ImageCore

/// A monitor of memory pressure that reports what the test says, when the test says it.
public final class FakeMemoryPressureMonitor: MemoryPressureMonitor {
    private let broadcast = MemoryPressureBroadcast()

    public init() {}

    public var level: MemoryPressureLevel { broadcast.level }

    public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        broadcast.observe(handler)
    }

    /// Reports a level; when this returns, every handler has been told. From one thread at a time.
    public func report(_ level: MemoryPressureLevel) { broadcast.report(level) }
}
