import Synchronization

/// A value that is sent once. One task can await it, before or after it is sent.
final class OneTimeSignal<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    /// Sends the value. Later calls have no effect.
    func send(_ value: Value) { end(with: .success(value)) }

    /// Waits for the value. Throws `CancellationError` if the task is cancelled first.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    state.continuation = continuation
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            end(with: .failure(CancellationError()))
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
