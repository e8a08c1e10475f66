import Synchronization

/// A priority that can change while work waits or runs.
///
/// Its value is the highest of its own value and of the priorities that it follows. The priority of a shared operation
/// follows those of its callers. Work that waits in a lane observes a priority.
public final class LivePriority: Sendable {
    private struct State: Sendable {
        var own: RequestPriority
        var followed = PriorityCounts()
        var lastID = 0
        /// The last known values of the followed priorities.
        var sources: [Int: RequestPriority] = [:]
        var observers: [(id: Int, onChange: @Sendable (LivePriority) -> Void)] = []

        var value: RequestPriority { max(own, followed.highest ?? own) }

        mutating func makeID() -> Int {
            lastID += 1
            return lastID
        }

        /// Sets the value of a source, or removes the source if the value is nil.
        mutating func setSource(_ id: Int, _ value: RequestPriority?) {
            if let old = sources[id] { followed.remove(old) }
            if let value { followed.add(value) }
            sources[id] = value
        }

        /// Does nothing for a source that was removed.
        mutating func updateSource(_ id: Int, _ value: RequestPriority) {
            if sources[id] != nil { setSource(id, value) }
        }
    }

    private let state: Mutex<State>

    /// Creates a priority that follows no others.
    public init(_ value: RequestPriority) { state = Mutex(State(own: value)) }

    /// The highest of its own value and of the priorities that it follows.
    public var value: RequestPriority { state.withLock { $0.value } }

    /// Sets its own value.
    public func set(_ value: RequestPriority) { change { $0.own = value } }

    /// Calls `onChange` after each change, until the observation ends.
    ///
    /// - Parameter onChange: Called on the thread of the change, without a lock. If you copy the value, read it under
    ///   the lock of the copy, so that the copy is correct after concurrent changes.
    public func observe(_ onChange: @escaping @Sendable (LivePriority) -> Void) -> PriorityObservation {
        let id = state.withLock { state in
            let id = state.makeID()
            state.observers.append((id, onChange))
            return id
        }
        return PriorityObservation { [weak self] in
            _ = self?.state.withLock { state in
                state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
            }
        }
    }

    /// Keeps the value at least as high as that of `source`, until the observation ends.
    public func follow(_ source: LivePriority) -> PriorityObservation {
        let id = state.withLock { $0.makeID() }
        let observation = source.observe { [weak self] source in
            self?.change { $0.updateSource(id, source.value) }
        }
        change { $0.setSource(id, source.value) }
        return PriorityObservation { [weak self] in
            observation.end()
            self?.change { $0.setSource(id, nil) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let observers = state.withLock { state in
            let before = state.value
            body(&state)
            return state.value == before ? [] : state.observers
        }
        for observer in observers { observer.onChange(self) }
    }
}

/// An observation of a priority.
public struct PriorityObservation: Sendable {
    private let onEnd: @Sendable () -> Void

    fileprivate init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Ends the observation. Call it once. A concurrent change may still call the observer.
    public func end() { onEnd() }
}

/// The number of sources for each priority.
private struct PriorityCounts: Sendable {
    private var counts = SIMD8<Int32>()

    var highest: RequestPriority? { RequestPriority.allCases.last { counts[$0.rawValue] > 0 } }

    mutating func add(_ priority: RequestPriority) { counts[priority.rawValue] += 1 }

    mutating func remove(_ priority: RequestPriority) { counts[priority.rawValue] -= 1 }
}
