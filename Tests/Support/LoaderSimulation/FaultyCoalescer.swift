import ImageCoalescing
import ImageCore
import ImageLoading
import Synchronization

/// A coalescer with a planted bug.
final class FaultyCoalescer: RequestCoalescer {
    typealias Key = OperationKey
    typealias Value = OperationResult

    private struct State: Sendable {
        var handlers: [Key: [@Sendable (WorkProgress) -> Void]] = [:]
        /// The number of running operations.
        var running: [Key: Int] = [:]
        /// The number of cancelled operations that have not ended.
        var cancelled: [Key: Int] = [:]
        var isClosed = false
    }

    private let base: any RequestCoalescer<Key, Value>
    private let bug: PlantedBug
    private let context: SimulationContext
    private let memory: any ImageCache
    /// Shares nothing, because each call has a unique key.
    private let unshared: TaskCoalescer<Int, Value>
    /// Is never closed.
    private let unclosed: TaskCoalescer<Key, Value>
    private let calls = Atomic(0)
    private let state = Mutex(State())

    init(
        _ base: any RequestCoalescer<Key, Value>, _ bug: PlantedBug, _ context: SimulationContext,
        memory: any ImageCache
    ) {
        self.base = base
        self.bug = bug
        self.context = context
        self.memory = memory
        unshared = TaskCoalescer(executor: context.executor)
        unclosed = TaskCoalescer(executor: context.executor)
    }

    func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        if bug == .sharesNothing || bug == .startsAfterInvalidation && state.withLock(\.isClosed) {
            let call = calls.add(1, ordering: .relaxed).newValue
            return try await unshared.value(for: call, priority: priority, onProgress: onProgress, operation: operation)
        }
        if bug == .joinsCancelledOperations, state.withLock({ $0.cancelled[key, default: 0] > 0 }) {
            throw CancellationError()
        }
        let base = bug == .invalidatesHalf && !key.isImage ? unclosed : base
        let isLost = bug == .losesCaller && state.withLock { $0.running[key, default: 0] > 0 }
        let value = try await base.value(
            for: key, priority: priority, onProgress: faulty(onProgress, key), operation: faulty(operation, key))
        if isLost { try await context.clock.sleep(for: .seconds(1 << 30)) }
        return value
    }

    func close(throwing error: any Error) {
        state.withLock { $0.isClosed = true }
        base.close(throwing: error)
        if bug != .startsAfterInvalidation { unshared.close(throwing: error) }
    }

    private func faulty(
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void, _ key: Key
    ) -> @Sendable (WorkProgress) -> Void {
        switch bug {
        case .reportsAfterEnd:
            state.withLock { $0.handlers[key, default: []].append(onProgress) }
            return { progress in
                for handler in self.state.withLock({ $0.handlers[key] ?? [] }) { handler(progress) }
            }
        case .restartsProgress:
            return { progress in
                onProgress(progress)
                onProgress(WorkProgress(completedByteCount: 0, totalByteCount: nil))
            }
        default: return onProgress
        }
    }

    private func faulty(
        _ operation: @escaping @Sendable (any SharedOperation) async throws -> Value, _ key: Key
    ) -> @Sendable (any SharedOperation) async throws -> Value {
        switch bug {
        // The inner task is not cancelled with the operation.
        case .ignoresLastCancellation:
            { [executor = context.executor] shared in
                try await Task.detached(executorPreference: executor) { try await operation(shared) }.value
            }
        case .keepsStalePriority: { try await operation(StalePriorityOperation($0)) }
        case .storesPreviews: { [memory] in try await operation(PreviewStoringOperation($0, key, memory)) }
        case .joinsCancelledOperations, .losesCaller: { try await self.counted(operation, $0, key) }
        default: operation
        }
    }

    /// Counts the running operations for a key, and the cancelled ones that have not ended.
    private func counted(
        _ operation: @Sendable (any SharedOperation) async throws -> Value, _ shared: any SharedOperation, _ key: Key
    ) async throws -> Value {
        let wasCancelled = Mutex(false)
        state.withLock { $0.running[key, default: 0] += 1 }
        defer {
            state.withLock { state in
                state.running[key, default: 0] -= 1
                if wasCancelled.withLock({ $0 }) { state.cancelled[key, default: 0] -= 1 }
            }
        }
        return try await withTaskCancellationHandler {
            try await operation(shared)
        } onCancel: {
            wasCancelled.withLock { $0 = true }
            state.withLock { $0.cancelled[key, default: 0] += 1 }
        }
    }
}

/// An operation with its initial priority.
private final class StalePriorityOperation: SharedOperation {
    private let base: any SharedOperation
    let priority: LivePriority

    init(_ base: any SharedOperation) {
        self.base = base
        priority = LivePriority(base.priority.value)
    }

    func report(_ progress: WorkProgress) { base.report(progress) }
}

/// An operation that stores previews in memory as if they were final images.
private final class PreviewStoringOperation: SharedOperation {
    private let base: any SharedOperation
    private let key: ImageCacheKey?
    private let memory: any ImageCache

    init(_ base: any SharedOperation, _ key: OperationKey, _ memory: any ImageCache) {
        self.base = base
        if case .image(let image, _) = key.product { self.key = image } else { self.key = nil }
        self.memory = memory
    }

    var priority: LivePriority { base.priority }

    func report(_ progress: WorkProgress) {
        if let key, var image = progress.preview?.image {
            image.completeness = .complete
            memory.insert(image, for: key)
        }
        base.report(progress)
    }
}
