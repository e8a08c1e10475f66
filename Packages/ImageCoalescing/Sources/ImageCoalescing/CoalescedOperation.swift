import ImageCore
import Synchronization

/// An operation with its callers and its result.
final class CoalescedOperation<Value: Sendable>: Sendable {
    /// Increases with each operation of the coalescer.
    let number: Int
    let callers = OperationCallers()
    private let result = Mutex<Result<Value, any Error>>(.failure(CancellationError()))

    init(number: Int) { self.number = number }

    /// Starts the operation's task.
    ///
    /// - Parameter onEnd: Called after the operation has ended, before its callers are notified.
    func start(
        on executor: (any TaskExecutor)?, _ body: @escaping @Sendable (any SharedOperation) async throws -> Value,
        onEnd: @escaping @Sendable () -> Void
    ) {
        let task = Task.detached(executorPreference: executor) {
            let result = await self.run(body)
            self.result.withLock { $0 = result }
            onEnd()
            self.callers.end()
        }
        callers.setTask(task)
    }

    /// Returns or throws the result, if the operation has ended. Otherwise throws `CancellationError`.
    func value() throws -> Value { try result.withLock { $0 }.get() }

    private func run(
        _ body: @Sendable (any SharedOperation) async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            return .success(try await body(callers))
        } catch is CancellationError {
            return .failure(CoalescingFailure.operationCancelledItself)
        } catch {
            return .failure(error)
        }
    }
}
