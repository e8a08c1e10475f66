/// The latest level of a memory pressure monitor and its handlers.
package struct MemoryPressureBroadcast: Sendable {
    private let broadcast = MonitorBroadcast(MemoryPressureLevel.normal)

    package init() {}

    package var level: MemoryPressureLevel { broadcast.latest }

    /// Stores the level and calls the handlers. Repeated `.normal` levels call no handler. Call it from one thread at a
    /// time.
    package func report(_ level: MemoryPressureLevel) {
        broadcast.report(level) { $0 != .normal || level != .normal }
    }

    package func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        broadcast.observe(handler)
    }
}
