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
        var closingError: (any Error)?

        /// Returns the operation in progress for a key, or a new one.
        mutating func operation(for key: Key, _ caller: Int) -> (CoalescedOperation<Value>, isNew: Bool) {
            if let running = operations[key], !running.callers.isOver { return (running, false) }
            let new = CoalescedOperation<Value>(number: caller)
            operations[key] = new
            return (new, true)
        }

        /// Does nothing if another operation has replaced it.
        mutating func remove(_ operation: CoalescedOperation<Value>, _ key: Key) {
            guard let index = operations.index(forKey: key), operations.values[index] === operation else { return }
            operations.remove(at: index)
        }
    }

    private let state = Mutex(State())
    private let lastCaller = Atomic(0)
    /// The number of running operations, including cancelled ones that have not ended yet.
    private let runningCount = Atomic(0)
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: The preferred executor of operations; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        let id = lastCaller.add(1, ordering: .relaxed).newValue
        while true {
            try Task.checkCancellation()
            let (shared, isNew) = try joinableOperation(for: key, id)
            let hasJoined = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard shared.callers.add(id, priority, onProgress, continuation) else { return }
                    if isNew { start(shared, key, operation) } else { shared.callers.sendProgress() }
                    // `onCancel` has no effect before the call has joined.
                    if Task.isCancelled { leave(shared, key, id) }
                }
            } onCancel: {
                leave(shared, key, id)
            }
            if hasJoined { return try shared.value() }
        }
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
    public var callerCount: Int { state.withLock { Array($0.operations.values) }.reduce(0) { $0 + $1.callers.count } }

    /// Whether no caller waits and no operation runs, not even a cancelled one.
    public var isIdle: Bool {
        state.withLock { $0.operations.isEmpty } && runningCount.load(ordering: .acquiring) == 0
    }

    /// Throws if the coalescer is closed.
    private func joinableOperation(
        for key: Key, _ caller: Int
    ) throws -> (CoalescedOperation<Value>, isNew: Bool) {
        try state.withLock { state in
            if let error = state.closingError { throw error }
            return state.operation(for: key, caller)
        }
    }

    private func start(
        _ operation: CoalescedOperation<Value>, _ key: Key,
        _ body: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) {
        runningCount.add(1, ordering: .relaxed)
        operation.start(on: executor, body) { [weak self] in
            self?.state.withLock { $0.remove(operation, key) }
            self?.runningCount.subtract(1, ordering: .releasing)
        }
    }

    /// Removes a caller, and the operation if it was the last one.
    private func leave(_ operation: CoalescedOperation<Value>, _ key: Key, _ caller: Int) {
        if operation.callers.remove(caller) { state.withLock { $0.remove(operation, key) } }
    }
}
