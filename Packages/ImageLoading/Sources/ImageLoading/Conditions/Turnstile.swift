import Synchronization

/// Where one task waits until it is let through, refused, or cancelled; the first counts.
final class Turnstile: Sendable {
    private enum State {
        case closed
        case awaited(CheckedContinuation<Bool, any Error>)
        case decided(Result<Bool, any Error>)
    }

    private let state = Mutex(State.closed)

    /// True when it was let through, false when refused. Throws `CancellationError`.
    func passed() async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Bool, any Error>? in
                if case .decided(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func open() { decide(.success(true)) }
    func refuse() { decide(.success(false)) }
    func cancel() { decide(.failure(CancellationError())) }

    private func decide(_ result: Result<Bool, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, any Error>? in
            switch state {
            case .decided: return nil
            case .closed:
                state = .decided(result)
                return nil
            case .awaited(let continuation):
                state = .decided(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }
}
