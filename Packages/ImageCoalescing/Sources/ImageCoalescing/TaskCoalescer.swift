public import ImageCore
import Synchronization

/// Runs one task for all callers that request the same key at the same time.
///
/// - The task is detached: it inherits nothing from a caller.
/// - Progress handlers are called with no lock held, one at a time for each operation, on a thread of the operation or of
///   a caller. A slow handler delays the other callers of its operation, and their cancellation.
public final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private struct State: Sendable {
        /// The operations that can be joined.
        var operations: [Key: CoalescedOperation<Value>] = [:]
        var closingError: (any Error)?
    }

    private let state = Mutex(State())
    private let lastCaller = Atomic(0)
    /// The number of running operations, including cancelled ones that have not ended yet.
    private let runningCount = Atomic(0)
    private let executor: (any TaskExecutor)?

    /// Creates a coalescer without operations.
    ///
    /// - Parameter executor: The preferred executor of operations; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let (shared, caller) = try join(key, priority, onProgress, operation)
        try await caller.wait { shared.callers.remove(caller.id) }
        return try shared.value()
    }

    public func close(throwing error: any Error) {
        let operations = state.withLock { state in
            if state.closingError == nil { state.closingError = error }
            defer { state.operations = [:] }
            return state.operations.values.sorted { $0.number < $1.number }
        }
        for operation in operations { operation.callers.cancel(throwing: error) }
    }

    /// The number of waiting callers.
    package var callerCount: Int { state.withLock { Array($0.operations.values) }.reduce(0) { $0 + $1.callers.count } }

    /// Whether no caller waits and no operation runs, not even a cancelled one.
    package var isIdle: Bool {
        state.withLock { $0.operations.isEmpty } && runningCount.load(ordering: .acquiring) == 0
    }

    /// Adds a caller to the operation in progress, or to a new one. Throws if the coalescer is closed.
    private func join(
        _ key: Key, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ body: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) throws -> (CoalescedOperation<Value>, OperationCaller) {
        let id = lastCaller.add(1, ordering: .relaxed).newValue
        while true {
            let (operation, isNew) = try state.withLock { state in
                if let error = state.closingError { throw error }
                if let running = state.operations[key], !running.callers.isOver { return (running, false) }
                let new = CoalescedOperation<Value>(number: id)
                state.operations[key] = new
                return (new, true)
            }
            guard let caller = operation.callers.add(id, priority, onProgress) else { continue }
            if isNew { start(operation, key, body) }
            return (operation, caller)
        }
    }

    private func start(
        _ operation: CoalescedOperation<Value>, _ key: Key,
        _ body: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) {
        runningCount.add(1, ordering: .relaxed)
        // A preference for no executor would cost time at each switch of the task.
        let task =
            if let executor {
                Task.detached(executorPreference: executor) { await self.run(operation, key, body) }
            } else {
                Task.detached { await self.run(operation, key, body) }
            }
        operation.callers.setTask(task)
    }

    private func run(
        _ operation: CoalescedOperation<Value>, _ key: Key,
        _ body: @Sendable (any SharedOperation) async throws -> Value
    ) async {
        var failure: (any Error)?
        do {
            operation.succeed(try await body(operation.callers))
        } catch {
            // A cancelled operation has no callers left, so only one that cancelled itself delivers this.
            failure = error is CancellationError ? CoalescingError.operationCancelledItself : error
        }
        // Another operation may have replaced a cancelled one.
        state.withLock { if $0.operations[key] === operation { $0.operations[key] = nil } }
        runningCount.subtract(1, ordering: .releasing)
        operation.callers.end(throwing: failure)
    }
}

/// An operation with its callers and its value.
final class CoalescedOperation<Value: Sendable>: Sendable {
    /// Increases with each operation of the coalescer.
    let number: Int
    let callers = OperationCallers()
    private let result = Mutex<Value?>(nil)

    init(number: Int) { self.number = number }

    /// Returns the value, after a wait that succeeded. It is stored here, so that callers need no type parameter.
    func value() throws -> Value {
        guard let value = result.withLock({ $0 }) else { throw CancellationError() }
        return value
    }

    func succeed(_ value: Value) { result.withLock { $0 = value } }
}

/// Why a caller receives an error that its operation did not throw.
@nonexhaustive
public enum CoalescingError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The operation threw `CancellationError` although it was not cancelled.
    case operationCancelledItself

    public var errorDescription: String? { description }
    public var description: String { "the shared operation threw CancellationError without being cancelled" }
}
