/// What all monitors of memory pressure have in common: the latest level, and who is told of it.
package struct MemoryPressureBroadcast: Sendable {
    private let broadcast = MonitorBroadcast(MemoryPressureLevel.normal)

    package init() {}

    package var level: MemoryPressureLevel { broadcast.latest }

    /// Keeps the level and tells it to everyone who observes now. A `.normal` that follows a `.normal` is told to nobody. To be called from
    /// one thread at a time.
    package func report(_ level: MemoryPressureLevel) {
        broadcast.report(level) { $0 != .normal || level != .normal }
    }

    package func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        broadcast.observe(handler)
    }
}
