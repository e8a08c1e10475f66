import Synchronization

/// A condition that the application or a test sets, for example from the window system.
///
/// ```swift
/// let applicationState = SettableConditionMonitor(ApplicationState.foreground)
/// applicationState.set(.background)  // when this returns, every handler has been called
/// ```
public final class SettableConditionMonitor<Condition: Hashable & Sendable>: ConditionMonitor {
    private let broadcast: MonitorBroadcast<Condition>

    /// Creates a monitor with an initial condition.
    public init(_ condition: Condition) { broadcast = MonitorBroadcast(condition) }

    public var condition: Condition { broadcast.latest }

    /// Changes the condition and calls the handlers. Call it from one thread at a time, and not from a handler.
    public func set(_ condition: Condition) { broadcast.report(condition) { $0 != condition } }

    public func observe(_ handler: @escaping @Sendable (Condition) -> Void) -> MonitorObservation {
        broadcast.observe(handler)
    }
}

/// The latest report of a monitor and its handlers.
package final class MonitorBroadcast<Report: Sendable>: Sendable {
    private struct State: Sendable {
        var latest: Report
        var handlers: [(id: UInt64, handler: @Sendable (Report) -> Void)] = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ first: Report) { state = Mutex(State(latest: first)) }

    package var latest: Report { state.withLock { $0.latest } }

    /// Stores the report and calls the handlers in order, without holding a lock. Call it from one thread at a time.
    ///
    /// - Parameter notifiesAfter: Returns whether the handlers are called, given the last report.
    package func report(_ report: Report, notifiesAfter: (Report) -> Bool) {
        let handlers = state.withLock { state in
            defer { state.latest = report }
            return notifiesAfter(state.latest) ? state.handlers : []
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
        // The handler is released without the lock, because that may run other code.
        let removed = state.withLock { state in
            state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0).handler }
        }
        _ = consume removed
    }
}
