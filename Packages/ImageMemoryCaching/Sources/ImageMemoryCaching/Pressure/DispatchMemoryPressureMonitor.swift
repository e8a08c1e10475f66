// Only Apple's platforms have this dispatch source. This file has never been compiled or run there.
#if canImport(Darwin)
    import Dispatch
    public import ImageCore

    /// Reports memory pressure on Apple's platforms, on a queue of the monitor. It never reports `.background`.
    public final class DispatchMemoryPressureMonitor: MemoryPressureMonitor {
        private let broadcast = MemoryPressureBroadcast()
        private let source: any DispatchSourceMemoryPressure

        /// Creates a monitor that observes until it is released.
        public init() {
            let source = DispatchSource.makeMemoryPressureSource(
                eventMask: [.normal, .warning, .critical], queue: DispatchQueue(label: "memory-pressure"))
            self.source = source
            source.setEventHandler { [broadcast, weak source] in
                guard let event = source?.data else { return }
                broadcast.report(event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal)
            }
            source.activate()
        }

        deinit { source.cancel() }

        public var level: MemoryPressureLevel { broadcast.level }

        public func observe(
            _ handler: @escaping @Sendable (MemoryPressureLevel) -> Void
        ) -> MemoryPressureObservation {
            broadcast.observe(handler)
        }
    }
#endif
