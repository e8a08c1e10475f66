public import ImageCore
import Synchronization

/// Runs one task for all callers that request the same key at the same time.
///
/// - The task is detached: it inherits neither task-local values nor priority nor cancellation from a caller.
/// - Progress handlers are called with no lock held, one at a time for each operation, on the thread that reports. A
///   slow handler delays the other callers of its operation.
public final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private struct State: Sendable {
        /// The operations that can be joined.
        var operations: [Key: CoalescedOperation<Value>] = [:]
        /// The number of running operations, including cancelled ones that have not ended yet.
        var runningCount = 0
        var closingError: (any Error)?

        /// Does nothing if another operation has replaced it.
        mutating func remove(_ operation: CoalescedOperation<Value>, _ key: Key) {
            if operations[key] === operation { operations[key] = nil }
        }
    }

    private let state = Mutex(State())
    private let lastCaller = Atomic(0)
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: The preferred executor of operations; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let id = lastCaller.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try join(key, id, priority, onProgress, continuation, operation)
                } catch {
                    continuation.resume(throwing: error)
                }
                // `onCancel` has no effect before the call has joined.
                if Task.isCancelled { leave(key, id) }
            }
        } onCancel: {
            leave(key, id)
        }
    }

    public func close(throwing error: any Error) {
        let operations = state.withLock { state in
            if state.closingError == nil { state.closingError = error }
            defer { state.operations = [:] }
            return state.operations.values.sorted { $0.number < $1.number }
        }
        for operation in operations { operation.cancel(throwing: error) }
    }

    /// The number of waiting callers.
    public var callerCount: Int { state.withLock { Array($0.operations.values) }.reduce(0) { $0 + $1.callerCount } }

    /// Whether no caller waits and no operation runs, not even a cancelled one.
    public var isIdle: Bool { state.withLock { $0.operations.isEmpty && $0.runningCount == 0 } }

    /// Joins the operation in progress, or starts a new one. Throws if the coalescer is closed.
    private func join(
        _ key: Key, _ caller: Int, _ priority: LivePriority, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ body: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) throws {
        while true {
            let (operation, isNew) = try findOperation(for: key, caller)
            if operation.add(caller, priority, onProgress, continuation) {
                return isNew ? start(operation, key, body) : operation.sendProgress()
            }
        }
    }

    private func findOperation(for key: Key, _ caller: Int) throws -> (CoalescedOperation<Value>, isNew: Bool) {
        try state.withLock { state in
            if let error = state.closingError { throw error }
            if let running = state.operations[key], !running.isOver { return (running, false) }
            let new = CoalescedOperation<Value>(number: caller)
            state.operations[key] = new
            return (new, true)
        }
    }

    private func start(
        _ operation: CoalescedOperation<Value>, _ key: Key,
        _ body: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) {
        state.withLock { $0.runningCount += 1 }
        operation.start(on: executor, body) { [weak self] in
            self?.state.withLock { state in
                state.remove(operation, key)
                state.runningCount -= 1
            }
        }
    }

    /// Removes a caller, which can only wait for the operation that can be joined.
    private func leave(_ key: Key, _ caller: Int) {
        guard let operation = state.withLock({ $0.operations[key] }), operation.remove(caller) else { return }
        state.withLock { $0.remove(operation, key) }
    }
}
