import Synchronization

/// A priority that can change while work waits or runs.
///
/// Its value is the highest of its own value and of the priorities that it follows. The priority of a shared operation
/// follows those of its callers. Work that waits in a lane observes a priority.
public final class LivePriority: Sendable {
    private struct State: Sendable {
        var own: RequestPriority
        var followed = PriorityCounts()
        var observers: [(id: Int, observer: Observer)] = []
        var lastID = 0

        var value: RequestPriority { max(own, followed.highest ?? own) }

        mutating func add(_ observer: Observer) -> Int {
            lastID += 1
            observers.append((lastID, observer))
            return lastID
        }
    }

    private enum Observer: Sendable {
        case handler(@Sendable (LivePriority) -> Void)
        case follower(WeakPriority)
    }

    private struct WeakPriority: Sendable {
        weak var priority: LivePriority?
    }

    private let state: Mutex<State>

    /// Creates a priority that follows no others.
    public init(_ value: RequestPriority) { state = Mutex(State(own: value)) }

    /// The highest of its own value and of the priorities that it follows. Setting it changes its own value.
    public var value: RequestPriority {
        get { state.withLock { $0.value } }
        set { change { $0.own = newValue } }
    }

    /// Calls `onChange` after each change, until the observation ends. A concurrent change may still call it then.
    ///
    /// - Parameter onChange: Called on the thread of the change, without a lock. If you copy the value, read it under
    ///   the lock of the copy, so that the copy is correct after concurrent changes.
    public func observe(_ onChange: @escaping @Sendable (LivePriority) -> Void) -> ChangeObservation {
        observation(state.withLock { $0.add(.handler(onChange)) })
    }

    /// Keeps the value at least as high as that of `other`, until the observation ends.
    public func follow(_ other: LivePriority) -> ChangeObservation {
        let (id, value) = other.state.withLock { state in
            (state.add(.follower(WeakPriority(priority: self))), state.value)
        }
        change { $0.followed.add(value) }
        return other.observation(id)
    }

    private func observation(_ id: Int) -> ChangeObservation { ChangeObservation { self.endObservation(id) } }

    private func endObservation(_ id: Int) {
        let (observer, value) = state.withLock { state in
            let index = state.observers.firstIndex { $0.id == id }
            return (index.map { state.observers.remove(at: $0).observer }, state.value)
        }
        if case .follower(let follower) = observer { follower.priority?.change { $0.followed.remove(value) } }
    }

    private func change(_ body: (inout State) -> Void) {
        let (before, after, observers) = state.withLock { state in
            let before = state.value
            body(&state)
            return (before, state.value, state.observers)
        }
        if before == after { return }
        for (_, observer) in observers {
            switch observer {
            case .handler(let onChange): onChange(self)
            // Concurrent changes may arrive in another order, which leads to the same counts.
            case .follower(let follower): follower.priority?.change { $0.followed.replace(before, with: after) }
            }
        }
    }
}

/// The number of followed priorities with each value.
private struct PriorityCounts: Sendable {
    private var counts = SIMD8<Int32>()

    var highest: RequestPriority? { RequestPriority.allCases.last { counts[$0.rawValue] > 0 } }

    mutating func add(_ priority: RequestPriority) { counts[priority.rawValue] += 1 }

    mutating func remove(_ priority: RequestPriority) { counts[priority.rawValue] -= 1 }

    mutating func replace(_ old: RequestPriority, with new: RequestPriority) {
        remove(old)
        add(new)
    }
}
