import Synchronization

/// What one task waits for and anybody may give: the first answer counts, before or after somebody waits for it.
package final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Waits in a task for what a callback brings. Nothing is asked for if the task was cancelled before.
    ///
    /// - Parameter ask: given the callback; returns what is called when the task is cancelled.
    package static func awaited(
        _ ask: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> @Sendable () -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        let answer = Answer()
        let leave = ask { answer.give($0) }
        return try await withTaskCancellationHandler {
            try await answer.value()
        } onCancel: {
            leave()
        }
    }

    /// Returns, or throws, what is given. For one task at a time.
    package func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                if case .given(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Later ones are dropped.
    package func give(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .given: return nil
            case .open:
                state = .given(result)
                return nil
            case .awaited(let continuation):
                state = .given(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }

    package func cancel() { give(.failure(CancellationError())) }
}

extension Answer<Void> {
    package func give() { give(.success(())) }
}
