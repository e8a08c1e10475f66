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

    func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void, begin: @escaping SharedWorkBeginning<Value>
    ) -> @Sendable () -> Void {
        if bug == .sharesNothing {
            return apart.join(
                waiter, as: waiter, priority: priority, onProgress: onProgress, onAnswer: onAnswer, begin: begin)
        }
        if bug == .joinsWhatWindsDown, state.withLock({ $0.windingDown[key, default: 0] > 0 }) {
            onAnswer(.failure(CancellationError()))
            return {}
        }
        let isLost = bug == .losesAWaiter && state.withLock { $0.underWay[key, default: 0] > 0 }
        let leave = base.join(
            key, as: waiter, priority: priority, onProgress: told(onProgress, of: key),
            onAnswer: { answer in
                if case .success = answer, isLost { return }
                onAnswer(answer)
            }, begin: spoilt(begin, of: key))
        if bug == .forgetsTheLastCancel { return {} }
        return leave
    }

    /// What a waiter is told of progress.
    private func told(
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void, of key: Key
    ) -> @Sendable (WorkProgress) -> Void {
        switch bug {
        case .tellsWhoHasLeft:
            state.withLock { $0.handlers[key, default: []].append(onProgress) }
            return { progress in
                for handler in self.state.withLock({ $0.handlers[key] ?? [] }) { handler(progress) }
            }
        case .goesBack:
            return { progress in
                onProgress(progress)
                onProgress(WorkProgress(completedBytes: 0, totalBytes: nil))
            }
        default: return onProgress
        }
    }

    private func spoilt(_ begin: @escaping SharedWorkBeginning<Value>, of key: Key) -> SharedWorkBeginning<Value> {
        switch bug {
        case .keepsAStalePriority: return { work, proceed in begin(StaleWork(base: work), proceed) }
        case .joinsWhatWindsDown, .losesAWaiter:
            return { work, proceed in
                begin(work) { rest in proceed { try await self.noticed(rest, of: key) } }
            }
        default: return begin
        }
    }

    private func noticed(_ rest: @Sendable () async throws -> Value, of key: Key) async throws -> Value {
        state.withLock { $0.underWay[key, default: 0] += 1 }
        defer { state.withLock { $0.underWay[key, default: 0] -= 1 } }
        return try await noticeCancellation(of: key, rest)
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

    /// Counts the work for a key that was cancelled and has not returned.
    private func noticeCancellation(of key: Key, _ rest: @Sendable () async throws -> Value) async throws -> Value {
        let wasCancelled = Mutex(false)
        defer { if wasCancelled.withLock({ $0 }) { state.withLock { $0.windingDown[key, default: 0] -= 1 } } }
        return try await withTaskCancellationHandler {
            try await rest()
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
