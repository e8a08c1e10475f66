// Dispatch has this source on Apple's platforms alone. Written for them, never compiled or run there yet.
#if canImport(Darwin)
    import Dispatch
    public import ImageCore

    /// Tells of memory pressure as Apple's kernel sees it.
    ///
    /// Handlers are called on a queue of the monitor's. `.background` is for applications with windows, which know it
    /// themselves.
    public final class DispatchMemoryPressureMonitor: MemoryPressureMonitor {
        private let broadcast = MemoryPressureBroadcast()
        private let source: any DispatchSourceMemoryPressure

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
