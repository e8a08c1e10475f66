import Dispatch
public import ImageCore
import Synchronization

/// Tells whether the system has a way to any network, as Linux sees it: online is who has a default route, of IPv4 or IPv6, over a link
/// that is there.
///
/// The kernel announces changes (rtnetlink(7)); nothing is looked at meanwhile. One thread of its own waits, looks and calls the handlers; it
/// ends when the monitor is let go. What is seen is the network namespace of the thread that makes the monitor.
///
/// A network without a way out of it, a private one without a router, counts as offline.
public final class LinuxConnectivityMonitor: ConditionMonitor {
    private let broadcast: MonitorBroadcast<Connectivity>
    private let lastFailure: LatestFailure
    private let routes: any RouteSource

    /// - Throws: `ConnectivityFailure` when the system doesn't let its routes be seen: a sandbox, another operating system.
    public convenience init() throws(ConnectivityFailure) { try self.init(routes: try NetlinkRoutes()) }

    package init(routes: any RouteSource) throws(ConnectivityFailure) {
        let broadcast = MonitorBroadcast(Connectivity(hasDefaultRoute: try routes.hasDefaultRoute()))
        let failure = LatestFailure()
        (self.routes, self.broadcast, lastFailure) = (routes, broadcast, failure)
        // A serial queue has a thread beside those that Swift's concurrency shares with concurrent queues.
        DispatchQueue(label: "connectivity").async {
            while routes.waitForChange() { Self.look(at: routes, broadcast, failure) }
        }
    }

    deinit { routes.end() }

    public var condition: Connectivity { broadcast.latest }

    /// Why the routes could not be read when they changed last; nil when they could. Until they can, the condition stays as it was.
    public var failure: ConnectivityFailure? { lastFailure.value }

    public func observe(_ handler: @escaping @Sendable (Connectivity) -> Void) -> MonitorObservation {
        broadcast.observe(handler)
    }

    private static func look(
        at routes: any RouteSource, _ broadcast: MonitorBroadcast<Connectivity>, _ failure: LatestFailure
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

/// What the last look could not read.
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
