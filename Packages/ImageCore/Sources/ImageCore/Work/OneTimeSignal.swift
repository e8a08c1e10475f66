import Synchronization

/// An event that happens once, perhaps with an error. One task can wait for it, before or after it happens.
package final class OneTimeSignal: Sendable {
    private struct State: Sendable {
        var result: Result<Void, any Error>?
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the wait. Later calls have no effect.
    package func send() { end(with: .success(())) }

    /// Ends the wait with an error. Later calls have no effect.
    package func fail(_ error: any Error) { end(with: .failure(error)) }

    /// Waits for the event. Throws `CancellationError` if the task is cancelled first.
    package func wait(isolation: isolated (any Actor)? = #isolation) async throws {
        try await wait { self.fail(CancellationError()) }
    }

    /// Waits for the event, also if the task is cancelled.
    ///
    /// - Parameter onCancel: Called when the task is cancelled, and at once if it already is.
    package func wait(
        isolation: isolated (any Actor)? = #isolation, onCancel: @Sendable () -> Void
    ) async throws {
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

    private func end(with result: Result<Void, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.continuation
        }
        continuation?.resume(with: result)
    }
}
