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
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(self.callers))
            } catch is CancellationError {
                result = .failure(CoalescingFailure.operationCancelledItself)
            } catch {
                result = .failure(error)
            }
            self.result.withLock { $0 = result }
            onEnd()
            self.callers.end()
        }
        callers.setTask(task)
    }

    /// Returns or throws the result, if the operation has ended. Otherwise throws `CancellationError`.
    func value() throws -> Value { try result.withLock { $0 }.get() }
}

/// Why a caller receives an error that its operation did not throw.
public enum CoalescingFailure: Error, Hashable, Sendable {
    /// The operation threw `CancellationError` although it was not cancelled.
    case operationCancelledItself
}

extension CoalescingFailure: CustomStringConvertible {
    public var description: String { "the shared operation threw CancellationError without being cancelled" }
}
