import Synchronization

/// A priority that may change while work waits or runs.
///
/// Its value is the highest of the one that it was set to and of the priorities that it follows. A request has a priority;
/// a shared operation has one that follows those of its callers; work that waits in a lane observes one.
public final class LivePriority: Sendable {
    private struct State: Sendable {
        var own: RequestPriority
        var followed = PriorityCounts()
        var lastID = 0
        /// The last known values of the priorities that it follows.
        var sources: [Int: RequestPriority] = [:]
        /// Few: work that waits for the same thing.
        var observers: [(id: Int, onChange: @Sendable (LivePriority) -> Void)] = []

        var value: RequestPriority { max(own, followed.highest ?? own) }

        mutating func makeID() -> Int {
            lastID += 1
            return lastID
        }

        /// Nil removes the source.
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

    public init(_ value: RequestPriority) { state = Mutex(State(own: value)) }

    public var value: RequestPriority { state.withLock { $0.value } }

    public func set(_ value: RequestPriority) { change { $0.own = value } }

    /// Calls `onChange` after each change, until the observation is ended.
    ///
    /// - Parameter onChange: Called on the thread of the change, with no lock held. Read the value there, under the lock that
    ///   protects your copy of it: after two changes at once the copy is then the latest value.
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

    /// Is at least as high as `source`, now and after each of its changes, until the observation is ended.
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

/// Ends an observation of a priority.
public struct PriorityObservation: Sendable {
    private let onEnd: @Sendable () -> Void

    fileprivate init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Call this once. A call that is already in progress may still reach the observer.
    public func end() { onEnd() }
}

/// How many there are of each priority, so that the highest is known without a search.
private struct PriorityCounts: Sendable {
    private var counts = SIMD8<Int32>()

    /// Nil if there is none.
    var highest: RequestPriority? { RequestPriority.allCases.last { counts[$0.rawValue] > 0 } }

    mutating func add(_ priority: RequestPriority) { counts[priority.rawValue] += 1 }

    mutating func remove(_ priority: RequestPriority) { counts[priority.rawValue] -= 1 }
}
