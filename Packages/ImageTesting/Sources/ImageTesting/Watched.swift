import Synchronization

/// A value whose changes a test can await.
///
/// Waiting ends if the task is cancelled, so a test whose condition never becomes true ends at its time limit.
public final class Watched<Value: Sendable>: Sendable {
    private struct Watcher: Sendable {
        var id: UInt64
        var isReached: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var watchers: [Watcher] = []
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// Creates a watched value.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The current value.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value, and resumes the waiters whose condition it satisfies.
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, reached) = state.withLock { state in
            let result = body(&state.value)
            let value = state.value
            let reached = state.watchers.filter { $0.isReached(value) }
            state.watchers.removeAll { watcher in reached.contains { $0.id == watcher.id } }
            return (result, reached)
        }
        for watcher in reached { watcher.continuation.resume() }
        return result
    }

    /// Waits until the value satisfies `condition`, or until the task is cancelled. The condition must not access this
    /// object.
    public func reaches(_ condition: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // An earlier cancellation found no watcher, but is detected here.
                    if Task.isCancelled || condition(state.value) { return true }
                    state.watchers.append(Watcher(id: id, isReached: condition, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            resume(id)
        }
    }

    private func resume(_ id: UInt64) {
        let watcher = state.withLock { state in
            state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
        }
        watcher?.continuation.resume()
    }
}
