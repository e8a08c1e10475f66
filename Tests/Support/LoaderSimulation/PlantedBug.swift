import ImageCoalescing
import ImageCore
import Synchronization

/// The classic mistakes, each made by a double in front of the real part, to show that the simulation finds it.
package enum PlantedBug: String, CaseIterable, Sendable {
    case sharesNothing = "two requests for one picture download it twice"
    case forgetsTheLastCancel = "the last waiter leaves, and the download goes on"
    case tellsWhoHasLeft = "progress is told to whoever has left"
    case keepsAStalePriority = "work keeps the priority at which it began"
    case joinsWhatWindsDown = "a request joins work that is being cancelled, and ends with it"
    case losesAWaiter = "whoever joins later is never answered"
    case goesBack = "progress starts again from nothing"
    case runsCancelledWork = "work that was cancelled in the queue runs all the same"

    /// What of the loader's promises it breaks. Who has left was cancelled, or has been
    /// answered; who left unnoticed is told what the others are told. Whoever ends with cancelled work is
    /// told so where it waits for a picture, and gets an error that nobody simulated where work of its own waited for the original.
    package var promises: Set<Promise> {
        switch self {
        case .sharesNothing: [.oneWorkPerKey, .highestPriority]
        case .forgetsTheLastCancel: [.noWorkForNobody, .lastWord]
        case .tellsWhoHasLeft: [.lastWord, .oneEnd]
        case .joinsWhatWindsDown: [.lastWord, .rightAnswer]
        case .keepsAStalePriority: [.highestPriority]
        case .losesAWaiter: [.oneEnd]
        case .goesBack: [.forwards]
        case .runsCancelledWork: [.cancelledNeverRuns]
        }
    }

    func planted<Key: Hashable & Sendable, Value: Sendable>(
        in base: any RequestCoalescer<Key, Value>, _ world: World
    ) -> any RequestCoalescer<Key, Value> {
        self == .runsCancelledWork ? base : FaultyCoalescer(base, self, world: world)
    }

    func planted(in base: any WorkScheduler) -> any WorkScheduler {
        self == .runsCancelledWork ? DeafScheduler(base: base) : base
    }
}

private final class FaultyCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
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
        case .runsCancelledWork: return try await ask(onProgress)
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
        }
    }

    func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        base.setPriority(priority, of: waiter)
        apart.setPriority(priority, of: waiter)
    }

    func close(throwing error: any Error) {
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

/// Says that it has cancelled work, and lets it wait on.
private final class DeafScheduler: WorkScheduler {
    private let base: any WorkScheduler

    init(base: any WorkScheduler) { self.base = base }

    func enqueue(_ work: ScheduledWork) -> WorkID { base.enqueue(work) }
    func setPriority(_ priority: RequestPriority, of id: WorkID) { base.setPriority(priority, of: id) }
    func cancel(_ id: WorkID) -> Bool { true }
}
