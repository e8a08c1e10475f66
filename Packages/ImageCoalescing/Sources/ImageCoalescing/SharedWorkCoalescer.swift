public import ImageCore
import Synchronization

/// Lets many waiters share one piece of work per key.
///
/// - Work runs in a detached task of its own: no waiter's task, task-locals or priority reach into it.
/// - Handlers are called with no lock held, in the order in which things happened, one at a time for each piece of work,
///   on the thread that caused the call; quick handlers keep the others' answers quick. All progress that was reported
///   before the work ended is told before the answer. A report that is being told while a waiter leaves may still reach it.
/// - Work that throws `CancellationError` by itself ends its waiters with `CoalescingFailure.workCancelledItself`, so that
///   `CancellationError` always means that the waiter's own task was cancelled.
/// - `setPriority` for a waiter that has not joined yet, or has been answered, changes nothing.
public final class SharedWorkCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    typealias Core = CoalescingCore<Key, Value>

    private let core = Mutex(Core())
    private let lastTicket = Atomic<UInt64>(0)
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: the threads that work prefers; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        let ticket = JoinTicket(rawValue: lastTicket.wrappingAdd(1, ordering: .relaxed).newValue)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiting = Core.Waiter(continuation: continuation, onProgress: onProgress)
                let effects = join(ticket, key: key, name: waiter, priority: priority, waiter: waiting, work: work)
                guard let effects else { return }
                onJoin()
                perform(effects)
            }
        } onCancel: {
            perform(core.withLock { $0.leave(ticket) })
        }
    }

    public func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        perform(core.withLock { $0.setPriority(priority, of: waiter) })
    }

    /// How many calls of `value` wait for an answer.
    public var waiterCount: Int { core.withLock { $0.state.waiterCount } }

    /// True when nobody waits, no work runs or winds down, and nothing is kept.
    public var isIdle: Bool { core.withLock { $0.isEmpty } }

    /// A cancellation before this finds no ticket and changes nothing, but is seen here by `isCancelled`, which it set
    /// before; one after this finds the ticket. So none is lost, and none need be remembered. Nil when it did not join.
    private func join(
        _ ticket: JoinTicket, key: Key, name: WaiterID, priority: RequestPriority, waiter: Core.Waiter,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> Core.Effects? {
        let effects = core.withLock { core in
            Task.isCancelled ? nil : core.join(ticket, key: key, name: name, priority: priority, waiter: waiter)
        }
        guard let effects else {
            waiter.continuation.resume(throwing: CancellationError())
            return nil
        }
        if let job = effects.start { start(job, priority: priority, work) }
        return effects
    }

    private func start(
        _ id: JobID, priority: RequestPriority, _ work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) {
        let job = CoalescedJob(coalescer: self, id: id, firstPriority: priority)
        let task = Task.detached(executorPreference: executor) {
            let result = await Self.outcome(of: work, job)
            self.perform(self.core.withLock { $0.finish(id, with: result) })
        }
        if core.withLock({ $0.attach(task, to: id) }) { task.cancel() }
    }

    private static func outcome(
        of work: @Sendable (any SharedWork) async throws -> Value, _ job: any SharedWork
    ) async -> Result<Value, any Error> {
        do {
            return .success(try await work(job))
        } catch is CancellationError {
            return .failure(CoalescingFailure.workCancelledItself)
        } catch {
            return .failure(error)
        }
    }

    private func perform(_ effects: Core.Effects) {
        effects.cancel?.cancel()
        effects.dismiss?.continuation.resume(throwing: CancellationError())
        for job in effects.deliver { deliver(job) }
    }

    private func deliver(_ job: JobID) {
        while true {
            let messages = core.withLock { $0.nextMessages(of: job) }.messages
            guard !messages.isEmpty else { return }
            for message in messages {
                if let delivery = core.withLock({ $0.address(message, of: job) }) { deliver(delivery) }
            }
        }
    }

    private func deliver(_ delivery: Core.Delivery) {
        switch delivery {
        case .progress(let progress, let handlers): for handler in handlers { handler(progress) }
        case .priority(let priority, let handler): handler(priority)
        case .outcome(let result, let waiters): for waiter in waiters { waiter.continuation.resume(with: result) }
        }
    }
}

extension SharedWorkCoalescer {
    fileprivate func priority(of job: JobID) -> RequestPriority? { core.withLock { $0.state.priority(of: job) } }

    fileprivate func report(_ progress: WorkProgress, by job: JobID) {
        perform(core.withLock { $0.report(progress, by: job) })
    }

    fileprivate func listen(_ job: JobID, _ handler: @escaping @Sendable (RequestPriority) -> Void) {
        perform(core.withLock { $0.listen(job, handler) })
    }
}

/// What work sees of its waiters. Stays valid after the work is done; it then does nothing.
private struct CoalescedJob<Key: Hashable & Sendable, Value: Sendable>: SharedWork {
    let coalescer: SharedWorkCoalescer<Key, Value>
    let id: JobID
    let firstPriority: RequestPriority

    var priority: RequestPriority { coalescer.priority(of: id) ?? firstPriority }

    func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void) { coalescer.listen(id, handler) }

    func report(_ progress: WorkProgress) { coalescer.report(progress, by: id) }
}
