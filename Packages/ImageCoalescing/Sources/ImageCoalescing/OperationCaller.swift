import ImageCore
import Synchronization

/// A caller that waits for an operation.
final class OperationCaller: Sendable {
    private struct State: Sendable {
        var outcome: Result<Void, any Error>?
        var resume: (@Sendable (Result<Void, any Error>) -> Void)?
    }

    let id: Int
    let onProgress: @Sendable (WorkProgress) -> Void
    /// Raises the operation's priority to that of the caller.
    private let following: PriorityObservation
    private let state = Mutex(State())

    init(id: Int, onProgress: @escaping @Sendable (WorkProgress) -> Void, following: PriorityObservation) {
        (self.id, self.onProgress, self.following) = (id, onProgress, following)
    }

    /// Waits until `end` is called, before or after this call. Throws its error, if there is one.
    func wait(onCancel: @Sendable () -> Void) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    state.resume = { continuation.resume(with: $0) }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            onCancel()
        }
    }

    /// Ends the wait. Called once.
    ///
    /// - Parameter error: Nil if the caller receives the operation's value.
    func end(throwing error: (any Error)?) {
        following.end()
        let outcome: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        let resume = state.withLock { state in
            state.outcome = outcome
            return state.resume
        }
        resume?(outcome)
    }
}
