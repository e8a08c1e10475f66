import ImageCore

/// Waits in a task for what a callback brings, once. Nothing is asked for if the task was cancelled before.
///
/// - Parameter ask: given the callback; returns what is called when the task is cancelled.
func answered<Value: Sendable>(
    _ ask: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> @Sendable () -> Void
) async throws -> Value {
    try Task.checkCancellation()
    let leaving = CancellationLine()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            leaving.attach(ask { continuation.resume(with: $0) })
        }
    } onCancel: {
        leaving.cancel()
    }
}
