import Synchronization

/// A value that is sent once. One task can await it, before or after it is sent.
final class OneTimeSignal<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case empty
        case awaited(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Mutex(State.empty)

    /// Sends the value. Later calls have no effect.
    func send(_ value: Value) { end(with: .success(value)) }

    /// Waits for the value. Throws `CancellationError` if the task is cancelled first.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .ended(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            end(with: .failure(CancellationError()))
        }
    }

    private func end(with result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            if case .ended = state { return nil }
            defer { state = .ended(result) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}
