import Synchronization

/// A value that changes, and that a test can await a condition of.
///
/// A waiter is resumed when its task is cancelled, so a test that waits in vain ends at its time limit.
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

    public init(_ value: Value) { state = Mutex(State(value: value)) }

    public var value: Value { state.withLock { $0.value } }

    /// Changes the value, and lets those go on whose condition it satisfies then.
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

    /// Returns as soon as the value satisfies `condition`, which must not use it in other ways; or when the task is cancelled.
    public func reaches(_ condition: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A cancellation before this finds no watcher, but has marked the task.
                    if Task.isCancelled || condition(state.value) { return true }
                    state.watchers.append(Watcher(id: id, isReached: condition, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            letGo(id)
        }
    }

    private func letGo(_ id: UInt64) {
        let watcher = state.withLock { state in
            state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
        }
        watcher?.continuation.resume()
    }
}
