import Dispatch
public import ImageCore
import Synchronization

/// Monitors whether a Linux system is online: whether it has a default route for IPv4 or IPv6 over a link that is up.
///
/// The kernel announces changes of routes and links (rtnetlink(7)), so the monitor doesn't poll. A dedicated thread
/// waits for changes, reads the routes and calls the handlers. It ends when the monitor is deinitialized.
///
/// The monitor observes the network namespace of the thread that creates it. A network without a default route counts
/// as offline, for example a private network without a router.
public final class LinuxConnectivityMonitor: ConditionMonitor {
    private let broadcast: MonitorBroadcast<Connectivity>
    private let lastFailure: LatestFailure
    private let routes: any RouteSource

    /// Creates a monitor and reads the current routes.
    ///
    /// - Throws: `ConnectivityFailure` if the routes can't be read, for example in a sandbox or on another operating
    ///   system.
    public convenience init() throws(ConnectivityFailure) { try self.init(routes: try NetlinkRoutes()) }

    package init(routes: any RouteSource) throws(ConnectivityFailure) {
        let broadcast = MonitorBroadcast(Connectivity(hasDefaultRoute: try routes.hasDefaultRoute()))
        let failure = LatestFailure()
        (self.routes, self.broadcast, lastFailure) = (routes, broadcast, failure)
        // A serial queue doesn't block a thread of Swift's concurrency pool.
        DispatchQueue(label: "connectivity").async {
            while routes.waitForChange() { Self.update(from: routes, broadcast, failure) }
        }
    }

    deinit { routes.stop() }

    /// The latest known connectivity.
    public var condition: Connectivity { broadcast.latest }

    /// The error of the latest attempt to read the routes, or `nil` if it succeeded. After an error, `condition`
    /// doesn't change.
    public var failure: ConnectivityFailure? { lastFailure.value }

    /// Calls a handler after each change, until the observation ends.
    public func observe(_ handler: @escaping @Sendable (Connectivity) -> Void) -> MonitorObservation {
        broadcast.observe(handler)
    }

    private static func update(
        from routes: any RouteSource, _ broadcast: MonitorBroadcast<Connectivity>, _ failure: LatestFailure
    ) {
        do throws(ConnectivityFailure) {
            let condition = Connectivity(hasDefaultRoute: try routes.hasDefaultRoute())
            failure.value = nil
            broadcast.report(condition) { $0 != condition }
        } catch {
            failure.value = error
        }
    }
}

/// The error of the latest attempt to read the routes.
private final class LatestFailure: Sendable {
    private let state = Mutex<ConnectivityFailure?>(nil)

    var value: ConnectivityFailure? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension Connectivity {
    fileprivate init(hasDefaultRoute: Bool) { self = hasDefaultRoute ? .online : .offline }
}
