import Synchronization

/// What one task waits for and anybody may give or refuse: the first answer counts, before or after somebody waits for it.
final class Permission: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Bool, any Error>)
        case answered(Result<Bool, any Error>)
    }

    private let state = Mutex(State.open)

    /// Returns whether it is given or refused; throws `CancellationError` when it is cancelled. For one task at a time.
    nonisolated(nonsending) func value() async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Bool, any Error>? in
                if case .answered(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func give() { answer(.success(true)) }

    func refuse() { answer(.success(false)) }

    func cancel() { answer(.failure(CancellationError())) }

    /// Later ones are dropped.
    private func answer(_ result: Result<Bool, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, any Error>? in
            switch state {
            case .answered: return nil
            case .open:
                state = .answered(result)
                return nil
            case .awaited(let continuation):
                state = .answered(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }
}
