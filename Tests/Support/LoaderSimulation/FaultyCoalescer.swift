import ImageCoalescing
import ImageCore
import ImageLoading
import Synchronization

/// A coalescer that makes one of the mistakes.
final class FaultyCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private struct State: Sendable {
        var handlers: [Key: [@Sendable (WorkProgress) -> Void]] = [:]
        var windingDown: [Key: Int] = [:]
        var underWay: [Key: Int] = [:]
    }

    private let base: any RequestCoalescer<Key, Value>
    private let bug: PlantedBug
    private let world: World
    private let apart: SharedWorkCoalescer<WaiterID, Value>
    private let state = Mutex(State())

    init(_ base: any RequestCoalescer<Key, Value>, _ bug: PlantedBug, world: World) {
        self.base = base
        self.bug = bug
        self.world = world
        apart = SharedWorkCoalescer(executor: world.executor)
    }

    func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        let ask: @Sendable (@escaping @Sendable (WorkProgress) -> Void) async throws -> Value = { [base] told in
            try await base.value(
                for: key, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: told, work: work)
        }
        switch bug {
        case .sharesNothing:
            return try await apart.value(
                for: waiter, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress, work: work)
        case .forgetsTheLastCancel:
            return try await Surroundings.$run.withValue(Surroundings.run) {
                try await Task(executorPreference: world.executor) { try await ask(onProgress) }.value
            }
        case .tellsWhoHasLeft:
            state.withLock { $0.handlers[key, default: []].append(onProgress) }
            return try await ask { progress in
                for handler in self.state.withLock({ $0.handlers[key] ?? [] }) { handler(progress) }
            }
        case .keepsAStalePriority:
            return try await base.value(
                for: key, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress
            ) { try await work(StaleWork(base: $0)) }
        case .joinsWhatWindsDown:
            if state.withLock({ $0.windingDown[key, default: 0] > 0 }) { throw CancellationError() }
            return try await base.value(
                for: key, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress
            ) { try await self.noticeCancellation(of: key, $0, work) }
        case .losesAWaiter:
            if state.withLock({ $0.underWay[key, default: 0] > 0 }) { try await Self.wait(world) }
            state.withLock { $0.underWay[key, default: 0] += 1 }
            defer { state.withLock { $0.underWay[key, default: 0] -= 1 } }
            return try await ask(onProgress)
        case .goesBack:
            return try await ask { progress in
                onProgress(progress)
                onProgress(WorkProgress(completedBytes: 0, totalBytes: nil))
            }
        default: return try await ask(onProgress)
        }
    }

    /// By `value`, so that the mistakes are made here too.
    func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> @Sendable () -> Void {
        joinInTask(
            on: world.executor, key, as: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress,
            onAnswer: onAnswer, work: work)
    }

    func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        base.setPriority(priority, of: waiter)
        apart.setPriority(priority, of: waiter)
    }

    func close(throwing error: any Error) {
        if bug == .closesHalf, Key.self == DataJobKey.self { return }
        base.close(throwing: error)
        apart.close(throwing: error)
    }

    /// Waits for what nobody brings, but for cancellation.
    private static func wait(_ world: World) async throws {
        try await world.clock.sleep(for: .seconds(1_000_000_000))
    }

    /// Counts the work for a key that was cancelled and has not returned.
    private func noticeCancellation(
        of key: Key, _ shared: any SharedWork, _ work: @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        let wasCancelled = Mutex(false)
        defer { if wasCancelled.withLock({ $0 }) { state.withLock { $0.windingDown[key, default: 0] -= 1 } } }
        return try await withTaskCancellationHandler {
            try await work(shared)
        } onCancel: {
            wasCancelled.withLock { $0 = true }
            state.withLock { $0.windingDown[key, default: 0] += 1 }
        }
    }
}

private struct StaleWork: SharedWork {
    let base: any SharedWork
    let priority: RequestPriority

    init(base: any SharedWork) {
        self.base = base
        priority = base.priority
    }

    func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void) { handler(priority) }
    func report(_ progress: WorkProgress) { base.report(progress) }
}
