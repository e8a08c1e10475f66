import Synchronization

/// A wait at a gate that ends immediately if the task is cancelled.
final class CancellableWait: Sendable {
    private enum State {
        case initial, waiting(CheckedContinuation<Bool, Never>), ended(Bool)
    }

    private let state = Mutex(State.initial)

    /// Waits at the gate. Returns false if the task is cancelled first.
    func pass(_ gate: Gate) async -> Bool {
        gate.arrive { self.resolve(true) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Bool? in
                    if case .ended(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            resolve(false)
        }
    }

    private func resolve(_ result: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            switch state {
            case .ended: return nil
            case .initial:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            }
        }
        waiter?.resume(returning: result)
    }
}
