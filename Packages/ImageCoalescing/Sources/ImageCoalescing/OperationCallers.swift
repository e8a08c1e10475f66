import ImageCore
import Synchronization

/// The callers of an operation. Sends them progress, and notifies them of the end.
final class OperationCallers: SharedOperation {
    let priority = LivePriority(.veryLow)
    private let state = Mutex(OperationState())

    var count: Int { state.withLock { $0.callers.count } }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Sets the operation's task, which is cancelled when all callers have left.
    func setTask(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    /// Adds a caller. If the operation is over, resumes the caller with false and returns false.
    ///
    /// Call `sendProgress` afterwards. The caller is resumed with true when the operation has ended.
    func add(
        _ id: Int, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ continuation: CheckedContinuation<Bool, any Error>
    ) -> Bool {
        let following = self.priority.follow(priority)
        let caller = OperationCaller(id: id, onProgress: onProgress) { error in
            following.end()
            if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: true) }
        }
        if state.withLock({ $0.add(caller) }) { return true }
        following.end()
        continuation.resume(returning: false)
        return false
    }

    /// Sends the latest progress to callers that have just joined.
    func sendProgress() { change { _ in } }

    /// Ends a call with `CancellationError`. If it was the last one, cancels the operation and returns true.
    func remove(_ caller: Int) -> Bool { change { $0.remove(caller) } }

    func report(_ progress: WorkProgress) { change { $0.report(progress) } }

    /// Ends all calls with the operation's result.
    func end() { change { $0.end() } }

    /// Cancels the operation and ends all calls with the error.
    func cancel(throwing error: any Error) { change { $0.end(throwing: error) } }

    /// Applies an event, then makes the resulting calls in order, one at a time, without holding a lock.
    private func change<Output>(_ event: (inout OperationState) -> Output) -> Output {
        var (output, call) = state.withLock { state in (event(&state), state.firstCall()) }
        while let next = call {
            make(next)
            call = state.withLock { $0.nextCall() }
        }
        return output
    }

    private func make(_ call: OperationState.Call) {
        switch call {
        case .progress(let progress, let callers): for caller in callers { caller.onProgress(progress) }
        case .end(let callers, let error): for caller in callers { caller.onEnd(error) }
        case .cancel(let task): task.cancel()
        }
    }
}
