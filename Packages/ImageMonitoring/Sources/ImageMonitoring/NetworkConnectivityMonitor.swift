// Only Apple's platforms have the Network framework. This file has never been compiled or run there.
#if canImport(ImageIO)
    import Dispatch
    public import ImageCore
    import Network
    import Synchronization

    /// Monitors with `NWPathMonitor` whether an Apple device is online. Reports changes on a queue of the monitor.
    ///
    /// It is online until the system reports that no connection can be made. A network that is established on demand,
    /// such as a VPN, counts as online.
    public final class NetworkConnectivityMonitor: ConditionMonitor {
        private let latest = SettableConditionMonitor(Connectivity.online)
        private let paths = Mutex(NWPathMonitor())

        /// Creates a monitor that observes until it is released.
        public init() {
            paths.withLock { [latest] paths in
                paths.pathUpdateHandler = { latest.condition = $0.status == .unsatisfied ? .offline : .online }
                paths.start(queue: DispatchQueue(label: "network-path"))
            }
        }

        deinit { paths.withLock { $0.cancel() } }

        public var condition: Connectivity { latest.condition }

        public func observe(_ handler: @escaping @Sendable (Connectivity) -> Void) -> ChangeObservation {
            latest.observe(handler)
        }
    }

    /// Monitors with `NWPathMonitor` what data costs on an Apple device. Reports changes on a queue of the monitor.
    ///
    /// The cost is high on mobile networks and hotspots, and in Low Data Mode.
    public final class NetworkCostMonitor: ConditionMonitor {
        private let latest = SettableConditionMonitor(NetworkCost.normal)
        private let paths = Mutex(NWPathMonitor())

        /// Creates a monitor that observes until it is released.
        public init() {
            paths.withLock { [latest] paths in
                paths.pathUpdateHandler = { latest.condition = $0.isExpensive || $0.isConstrained ? .high : .normal }
                paths.start(queue: DispatchQueue(label: "network-cost"))
            }
        }

        deinit { paths.withLock { $0.cancel() } }

        public var condition: NetworkCost { latest.condition }

        public func observe(_ handler: @escaping @Sendable (NetworkCost) -> Void) -> ChangeObservation {
            latest.observe(handler)
        }
    }
#endif
