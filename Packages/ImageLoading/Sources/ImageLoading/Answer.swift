import Synchronization

/// What one task waits for and anybody may give: the first answer counts, before or after somebody waits for it.
final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    /// Returns, or throws, what is given. For one task at a time.
    func value() async throws -> Value {
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
    func give(_ result: Result<Value, any Error>) {
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

    func cancel() { give(.failure(CancellationError())) }
}

extension Answer<Void> {
    func give() { give(.success(())) }
}
