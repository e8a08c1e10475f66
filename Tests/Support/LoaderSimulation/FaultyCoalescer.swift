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
    private let apart: SharedWorkCoalescer<Int, Value>
    private let joins = Atomic(0)
    private let state = Mutex(State())

    init(_ base: any RequestCoalescer<Key, Value>, _ bug: PlantedBug, world: World) {
        self.base = base
        self.bug = bug
        self.world = world
        apart = SharedWorkCoalescer(executor: world.executor)
    }

    func join(
        _ key: Key, as waiter: any SharedWorkWaiter<Value>, priority: RequestPriority,
        begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace {
        if bug == .sharesNothing {
            return apart.join(joins.add(1, ordering: .relaxed).newValue, as: waiter, priority: priority, begin: begin)
        }
        if bug == .joinsWhatWindsDown, state.withLock({ $0.windingDown[key, default: 0] > 0 }) {
            waiter.failed(with: CancellationError())
            return NoPlace()
        }
        let isLost = bug == .losesAWaiter && state.withLock { $0.underWay[key, default: 0] > 0 }
        let place = base.join(key, priority: priority, onProgress: told({ waiter.progressed($0) }, of: key)) { answer in
            if case .success = answer, isLost { return }
            waiter.ended(with: answer)
        } begin: { work, proceed in
            spoilt(begin, work, proceed, of: key)
        }
        return bug == .forgetsTheLastCancel ? NoPlace(prioritising: place) : place
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

    private func spoilt(
        _ begin: SharedWorkBeginning<Value>, _ work: any SharedWork,
        _ proceed: @escaping @Sendable (@escaping @Sendable () async throws -> Value) -> Void, of key: Key
    ) -> @Sendable () -> Void {
        switch bug {
        case .keepsAStalePriority: begin(StaleWork(base: work), proceed)
        case .joinsWhatWindsDown, .losesAWaiter:
            begin(work) { rest in proceed { try await self.noticed(rest, of: key) } }
        default: begin(work, proceed)
        }
    }

    private func noticed(_ rest: @Sendable () async throws -> Value, of key: Key) async throws -> Value {
        state.withLock { $0.underWay[key, default: 0] += 1 }
        defer { state.withLock { $0.underWay[key, default: 0] -= 1 } }
        return try await noticeCancellation(of: key, rest)
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

/// One that nobody leaves.
private struct NoPlace: SharedWorkPlace {
    private let base: (any SharedWorkPlace)?

    init(prioritising base: (any SharedWorkPlace)? = nil) { self.base = base }

    func setPriority(_ priority: RequestPriority) { base?.setPriority(priority) }
    func leave() {}
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
