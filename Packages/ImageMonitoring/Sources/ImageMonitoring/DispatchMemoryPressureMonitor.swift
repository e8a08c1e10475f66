// Only Apple's platforms have this dispatch source. This file has never been compiled or run there.
#if canImport(ImageIO)
    import Dispatch
    public import ImageCore

    /// Reports memory pressure on Apple's platforms, on a queue of the monitor.
    public final class DispatchMemoryPressureMonitor: ConditionMonitor {
        private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)
        private let events: [DispatchEvents]

        /// Creates a monitor that observes until it is released.
        public init() {
            // A source for each level. The handler of one source for all would have to retain it, to read its data.
            let queue = DispatchQueue(label: "memory-pressure")
            let levels: [MemoryPressureLevel] = [.normal, .warning, .critical]
            events = levels.map { [latest] level in
                DispatchEvents(on: queue) { queue in
                    DispatchSource.makeMemoryPressureSource(eventMask: Self.event(for: level), queue: queue)
                } handler: {
                    latest.report(level, repeats: level != .normal)
                }
            }
        }

        // Older SDKs don't say that events are Sendable, so none is captured.
        private static func event(for level: MemoryPressureLevel) -> DispatchSource.MemoryPressureEvent {
            switch level {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
        }

        public var condition: MemoryPressureLevel { latest.condition }

        public func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> ChangeObservation {
            latest.observe(handler)
        }
    }
#endif
