import Synchronization

/// A condition that the application or a test sets, for example from the window system.
///
/// ```swift
/// let applicationState = SettableConditionMonitor(ApplicationState.foreground)
/// applicationState.condition = .background  // when this returns, every handler has been called
/// ```
public final class SettableConditionMonitor<Condition: Hashable & Sendable>: ConditionMonitor {
    private struct State: Sendable {
        var condition: Condition
        var handlers: [(id: UInt64, handler: @Sendable (Condition) -> Void)] = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// Creates a monitor with an initial condition.
    public init(_ condition: Condition) { state = Mutex(State(condition: condition)) }

    /// The current condition. A change calls the handlers. Set it from one thread at a time, and not from a handler.
    public var condition: Condition {
        get { state.withLock { $0.condition } }
        set { report(newValue, repeats: false) }
    }

    /// - Parameter repeats: Whether to call the handlers if the condition is the same.
    package func report(_ condition: Condition, repeats: Bool) {
        let handlers = state.withLock { state in
            defer { state.condition = condition }
            return repeats || condition != state.condition ? state.handlers : []
        }
        for (_, handler) in handlers { handler(condition) }
    }

    public func observe(_ handler: @escaping @Sendable (Condition) -> Void) -> ChangeObservation {
        let id = state.withLock { state in
            state.nextID += 1
            state.handlers.append((state.nextID, handler))
            return state.nextID
        }
        return ChangeObservation { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        // The handler is released without the lock, because that may run other code.
        let removed = state.withLock { state in
            state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0).handler }
        }
        _ = consume removed
    }
}
