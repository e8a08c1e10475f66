import ImageCore
import Synchronization

/// A value whose changes a test can await.
///
/// Waiting ends if the task is cancelled. If the condition does not become true for 30 seconds, the process ends with a message
/// that has the line of the wait and the value, because otherwise the test would hang.
public final class Watched<Value: Sendable>: Sendable {
    private struct Watcher: Sendable {
        let isReached: @Sendable (Value) -> Bool
        let signal = OneTimeSignal()
    }

    private struct State {
        var value: Value
        var watchers: [Watcher] = []
    }

    private let state: Mutex<State>

    /// Creates a watched value.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The current value.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value, and resumes the waiters whose condition it satisfies.
    @discardableResult
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, reached) = state.withLock { state in
            let result = body(&state.value)
            let value = state.value
            let reached = state.watchers.filter { $0.isReached(value) }
            state.watchers.removeAll { watcher in reached.contains { $0.signal === watcher.signal } }
            return (result, reached)
        }
        for watcher in reached { watcher.signal.send() }
        return result
    }

    /// Waits until the value satisfies `condition`, or until the task is cancelled. The condition must not access this
    /// object.
    public func waitUntil(
        _ condition: @escaping @Sendable (Value) -> Bool, file: StaticString = #fileID, line: UInt = #line
    ) async {
        let watcher = Watcher(isReached: condition)
        let isOver = state.withLock { state in
            if condition(state.value) { return true }
            state.watchers.append(watcher)
            return false
        }
        if isOver { return }
        let limit = WaitGuard.start(file, line) { "\(self.value)" }
        defer { limit.cancel() }
        try? await watcher.signal.wait()  // ends early if the task is cancelled
        state.withLock { $0.watchers.removeAll { $0.signal === watcher.signal } }
    }
}
