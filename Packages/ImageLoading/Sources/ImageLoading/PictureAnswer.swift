import ImageCore
import Synchronization

/// Waits in a task for a picture, once. Not generic: it would be looked for in the runtime's tables several times for each request.
final class PictureAnswer: SharedWorkWaiter {
    private struct State {
        var continuation: CheckedContinuation<LoadedImage, any Error>?
        var place: (any SharedWorkPlace)?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let onProgress: @Sendable (WorkProgress) -> Void

    /// Whether work may begin on the thread that waits.
    private let lendsThread: Bool

    init(lendsThread: Bool, onProgress: @escaping @Sendable (WorkProgress) -> Void) {
        self.lendsThread = lendsThread
        self.onProgress = onProgress
    }

    /// Returns when the answer has come that `join` asks for. Leaves when the task is cancelled; asks for nothing if it was before.
    nonisolated(nonsending) func value(joining join: () -> any SharedWorkPlace) async throws -> LoadedImage {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                let loan = lendsThread ? ThreadLoan() : nil
                take(ThreadLoan.$current.withValue(loan) { join() })
                loan?.end()
            }
        } onCancel: {
            cancel()
        }
    }

    func progressed(_ progress: WorkProgress) { onProgress(progress) }

    func succeeded(with loaded: LoadedImage) { takeContinuation()?.resume(returning: loaded) }

    func failed(with error: any Error) { takeContinuation()?.resume(throwing: error) }

    private func takeContinuation() -> CheckedContinuation<LoadedImage, any Error>? {
        state.withLock { $0.continuation.take() }
    }

    private func take(_ place: any SharedWorkPlace) {
        let isLate = state.withLock { state in
            state.place = place
            return state.isCancelled
        }
        if isLate { place.leave() }
    }

    private func cancel() {
        let place = state.withLock { state in
            state.isCancelled = true
            return state.place
        }
        place?.leave()
    }
}
