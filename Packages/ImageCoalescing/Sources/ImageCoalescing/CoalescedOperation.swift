import ImageCore
import Synchronization

/// An operation with its task, callers and result.
final class CoalescedOperation<Value: Sendable>: SharedOperation {
    /// Increases with each operation of the coalescer.
    let number: Int
    let priority = LivePriority(.veryLow)
    private let state = Mutex(OperationState())
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(number: Int) { self.number = number }

    var callerCount: Int { state.withLock { $0.callers.count } }

    /// - Parameter onEnd: Called after the operation has ended, before its callers receive the result.
    func start(
        on executor: (any TaskExecutor)?, _ body: @escaping @Sendable (any SharedOperation) async throws -> Value,
        onEnd: @escaping @Sendable () -> Void
    ) {
        let task = Task.detached(executorPreference: executor) { await self.run(body, onEnd) }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isAbandoned { task.cancel() }
    }

    private func run(
        _ body: @Sendable (any SharedOperation) async throws -> Value, _ onEnd: @Sendable () -> Void
    ) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(self))
        } catch is CancellationError {
            result = .failure(CoalescingFailure.operationCancelledItself)
        } catch {
            result = .failure(error)
        }
        self.result.withLock { $0 = result }
        onEnd()
        change { $0.end() }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Adds a caller. Returns false if the operation is over. Call `sendProgress` afterwards.
    func add(
        _ id: Int, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ continuation: CheckedContinuation<Value, any Error>
    ) -> Bool {
        let following = self.priority.follow(priority)
        let caller = OperationCaller(id: id, onProgress: onProgress) { error in
            following.end()
            self.resume(continuation, throwing: error)
        }
        let isAdded = state.withLock { $0.add(caller) }
        if !isAdded { following.end() }
        return isAdded
    }

    /// Sends the latest progress to callers that have just joined.
    func sendProgress() { change { _ in } }

    /// Ends a call with `CancellationError`. If it was the last one, cancels the operation and returns true.
    func remove(_ caller: Int) -> Bool { change { $0.remove(caller) } }

    func report(_ progress: WorkProgress) { change { $0.report(progress) } }

    /// Cancels the operation and ends all calls with the error.
    func cancel(throwing error: any Error) { change { $0.end(throwing: error) } }

    /// Ends a call with the error, or with the operation's result if `error` is nil.
    private func resume(_ continuation: CheckedContinuation<Value, any Error>, throwing error: (any Error)?) {
        if let error { return continuation.resume(throwing: error) }
        if let result = result.withLock({ $0 }) { continuation.resume(with: result) }
    }

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
