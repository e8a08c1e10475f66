import Synchronization

/// An event that happens once and has a value or an error. One task can wait for it, before or after it happens.
package final class OneTimeSignal<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the wait with a value. Later calls have no effect.
    package func send(_ value: Value) { end(with: .success(value)) }

    /// Ends the wait with an error. Later calls have no effect.
    package func fail(_ error: any Error) { end(with: .failure(error)) }

    /// Waits for the value. Throws `CancellationError` if the task is cancelled first.
    package func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await value { self.fail(CancellationError()) }
    }

    /// Waits for the value or the error, also if the task is cancelled.
    ///
    /// - Parameter onCancel: Called when the task is cancelled, and at once if it already is.
    package func value(
        isolation: isolated (any Actor)? = #isolation, onCancel: @Sendable () -> Void
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    state.continuation = continuation
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            onCancel()
        }
    }

    private func end(with result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.continuation
        }
        continuation?.resume(with: result)
    }
}
