import ImageCore
import ImageLoading

/// Records the calls of a coalescer and the operations that it runs.
final class MonitoredCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private let base: any RequestCoalescer<Key, Value>
    private let name: @Sendable (Key) -> WorkKey
    private let context: SimulationContext

    init(
        _ base: any RequestCoalescer<Key, Value>, _ context: SimulationContext,
        name: @escaping @Sendable (Key) -> WorkKey
    ) {
        (self.base, self.context, self.name) = (base, context, name)
    }

    func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        let (name, context) = (name(key), context)
        let id = context.update { $0.called(name, Self.caller(priority)) }
        defer { context.update { $0.returned(id, name) } }
        return try await withTaskCancellationHandler {
            try await valueUnlessCancelled(for: key, priority: priority) { progress in
                context.record { $0.progressed(id, name) }
                TaskContext.$operation.withValue(nil) { onProgress(progress) }
            } operation: { shared in
                try await Self.run(name, shared, operation, context)
            }
        } onCancel: {
            context.update { $0.cancelled(id, name) }
        }
    }

    func close(throwing error: any Error) {
        context.update { $0.closed(ofImages: Key.self == ImageJobKey.self) }
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
                        .nothingAfterCancellation, "a call that was not cancelled ends as cancelled: \(name(key))"))
            }
            throw error
        }
    }

    private static func run(
        _ key: WorkKey, _ shared: any SharedOperation,
        _ operation: @Sendable (any SharedOperation) async throws -> Value, _ context: SimulationContext
    ) async throws -> Value {
        if context.isInvalidated, !Task.isCancelled { context.record(Violation(.noWorkAfterInvalidation, "\(key)")) }
        let id = context.update { $0.operationStarted(key, shared) }
        defer { context.update { $0.operationEnded(id) } }
        return try await withTaskCancellationHandler {
            try await TaskContext.$operation.withValue(id) { try await operation(shared) }
        } onCancel: {
            context.update { $0.operationCancelled(id) }
        }
    }
}
