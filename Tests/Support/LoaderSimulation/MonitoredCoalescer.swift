import ImageCore
import ImageLoading

/// Records the calls of a coalescer and the operations that it runs.
final class MonitoredCoalescer: RequestCoalescer {
    typealias Key = OperationKey
    typealias Value = OperationResult

    private let base: any RequestCoalescer<Key, Value>
    private let context: SimulationContext

    init(_ base: any RequestCoalescer<Key, Value>, _ context: SimulationContext) {
        self.base = base
        self.context = context
    }

    func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        let id = context.update { $0.called(key, Self.caller(priority)) }
        defer { context.update { $0.returned(id, key) } }
        return try await withTaskCancellationHandler {
            try await valueUnlessCancelled(for: key, priority: priority) { [context] progress in
                context.record { $0.progressed(id, key) }
                TaskContext.$operation.withValue(nil) { onProgress(progress) }
            } operation: { [context] shared in
                try await Self.run(key, shared, operation, context)
            }
        } onCancel: {
            context.update { $0.cancelled(id, key) }
        }
    }

    func close(throwing error: any Error) {
        context.update { $0.closed() }
        base.close(throwing: error)
    }

    private static func caller(_ priority: LivePriority) -> ExpectedState.Caller {
        let parent = TaskContext.operation
        return .init(priority: priority, parent: parent, isPrefetch: parent == nil && !TaskContext.isRequest)
    }

    /// Calls the base. Records a violation if a call that was not cancelled throws `CancellationError`.
    private func valueUnlessCancelled(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        do {
            return try await base.value(for: key, priority: priority, onProgress: onProgress, operation: operation)
        } catch {
            if error is CancellationError, !Task.isCancelled {
                context.record(
                    Violation(
                        .nothingAfterCancellation, "a call that was not cancelled ends as cancelled: \(key.text)"))
            }
            throw error
        }
    }

    private static func run(
        _ key: OperationKey, _ shared: any SharedOperation,
        _ operation: @Sendable (any SharedOperation) async throws -> Value, _ context: SimulationContext
    ) async throws -> Value {
        if context.isInvalidated, !Task.isCancelled { context.record(Violation(.noWorkAfterInvalidation, key.text)) }
        let id = context.update { $0.operationStarted(key, shared) }
        defer { context.update { $0.operationEnded(id) } }
        return try await withTaskCancellationHandler {
            try await TaskContext.$operation.withValue(id) { try await operation(shared) }
        } onCancel: {
            context.update { $0.operationCancelled(id) }
        }
    }
}

/// Records the waiting and running work of a scheduler.
final class MonitoredScheduler: WorkScheduler {
    private let base: any WorkScheduler
    private let context: SimulationContext

    init(_ base: any WorkScheduler, _ context: SimulationContext) { (self.base, self.context) = (base, context) }

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        let id = context.update { $0.enqueued(in: lane, server: server, priority, by: TaskContext.operation) }
        defer { context.update { $0.lanes.returned(id) } }
        return try await withTaskCancellationHandler {
            try await base.run(in: lane, server: server, priority: priority) { moved in
                context.record { $0.lanes.started(id) }
                defer { context.update { $0.lanes.ended(id) } }
                return try await work(moved)
            }
        } onCancel: {
            context.update { $0.lanes.cancelled(id) }
        }
    }
}
