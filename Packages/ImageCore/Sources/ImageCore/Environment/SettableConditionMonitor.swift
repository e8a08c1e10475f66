import Synchronization

/// A condition that the application tells itself: where it is asked by its window system, and in tests.
///
/// ```swift
/// let applicationState = SettableConditionMonitor(ApplicationState.foreground)
/// applicationState.set(.background)  // every handler has been told when this returns
/// ```
public final class SettableConditionMonitor<Condition: Hashable & Sendable>: ConditionMonitor {
    private let broadcast: MonitorBroadcast<Condition>

    public init(_ condition: Condition) { broadcast = MonitorBroadcast(condition) }

    public var condition: Condition { broadcast.latest }

    /// Changes it, and tells everyone. To be called from one thread at a time, and not by a handler.
    public func set(_ condition: Condition) { broadcast.report(condition) { $0 != condition } }

    public func observe(_ handler: @escaping @Sendable (Condition) -> Void) -> MonitorObservation {
        broadcast.observe(handler)
    }
}

/// The half that all monitors have in common: what was reported last, and who is told of it.
package final class MonitorBroadcast<Report: Sendable>: Sendable {
    private struct State: Sendable {
        var latest: Report
        var handlers: [(id: UInt64, handler: @Sendable (Report) -> Void)] = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ first: Report) { state = Mutex(State(latest: first)) }

    package var latest: Report { state.withLock { $0.latest } }

    /// Keeps the report and, if it is news after the one before, tells it to everyone who observes now, in the order in which they came,
    /// with no lock held. To be called from one thread at a time.
    package func report(_ report: Report, isNewsAfter: (Report) -> Bool) {
        let handlers = state.withLock { state in
            defer { state.latest = report }
            return isNewsAfter(state.latest) ? state.handlers : []
        }
        for (_, handler) in handlers { handler(report) }
    }

    package func observe(_ handler: @escaping @Sendable (Report) -> Void) -> MonitorObservation {
        let id = state.withLock { state in
            state.nextID += 1
            state.handlers.append((state.nextID, handler))
            return state.nextID
        }
        return MonitorObservation { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        // The handler is let go after the lock: what it held may run code when it goes.
        let removed = state.withLock { state in
            state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0).handler }
        }
        _ = consume removed
    }
}
