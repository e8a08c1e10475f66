import Synchronization

/// A gate's passage that cancellation ends at once.
final class CancellablePassage: Sendable {
    private enum State {
        case fresh, waiting(CheckedContinuation<Bool, Never>), over(Bool)
    }

    private let state = Mutex(State.fresh)

    /// False when the task was cancelled first.
    func pass(_ gate: Gate) async -> Bool {
        gate.arrive { self.resolve(true) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if case .over(let answer) = state { return answer }
                    state = .waiting(continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            resolve(false)
        }
    }

    private func resolve(_ answer: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            switch state {
            case .over: return nil
            case .fresh:
                state = .over(answer)
                return nil
            case .waiting(let continuation):
                state = .over(answer)
                return continuation
            }
        }
        waiter?.resume(returning: answer)
    }
}
