// Only Apple's platforms have this dispatch source. This file has never been compiled or run there.
#if canImport(Darwin)
    import Dispatch
    public import ImageCore

    /// Reports memory pressure on Apple's platforms, on a queue of the monitor.
    public final class DispatchMemoryPressureMonitor: ConditionMonitor {
        private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)
        private let source: any DispatchSourceMemoryPressure

        /// Creates a monitor that observes until it is released.
        public init() {
            let source = DispatchSource.makeMemoryPressureSource(
                eventMask: [.normal, .warning, .critical], queue: DispatchQueue(label: "memory-pressure"))
            self.source = source
            source.setEventHandler { [latest, weak source] in
                guard let event = source?.data else { return }
                latest.report(
                    event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal,
                    repeats: event != .normal)
            }
            source.activate()
        }

        deinit { source.cancel() }

        public var condition: MemoryPressureLevel { latest.condition }

        public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MonitorObservation {
            latest.observe(handler)
        }
    }
#endif
