public import ImageCore
import Synchronization

/// Lets many waiters share one piece of work per key.
///
/// - Work that proceeds runs in a detached task: no waiter's task, task-locals or priority reach into it. It is one of its own, or that of
///   the work whose end let it proceed, which has nothing more to do. It may begin on the thread of one who waits in a task and has lent that.
/// - Handlers are called with no lock held, in the order in which things happened, one at a time for each piece of work,
///   on the thread that caused the call; quick handlers keep the others' answers quick. All progress that was reported
///   before the work ended is told before the answer. A report that is being told while a waiter leaves may still reach it.
/// - Work that throws `CancellationError` by itself ends its waiters with `CoalescingFailure.workCancelledItself`, so that
///   `CancellationError` always means that the waiter left.
public final class SharedWorkCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private let core = CoalescingCore()
    private let executor: (any TaskExecutor)?
    // Kept, because each mention of them by name is a search in the runtime's tables.
    private let keyBox = Box<Key>.self
    private let valueBox = Box<Value>.self

    /// - Parameter executor: the threads that work prefers; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func join(
        _ key: Key, as waiter: any SharedWorkWaiter<Value>, priority: RequestPriority,
        begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace {
        let ticket = core.join(waiter, priority, keyHash: key.hashValue) { kept in
            // Sound: all keys that one coalescer keeps are in boxes of its own type.
            unsafe unsafeDowncast(kept, to: Box<Key>.self).value == key
        } keptKey: {
            keyBox.init(key)
        } begin: { job in
            begin(job) { [executor, valueBox] rest in
                let work = ProceedingWork(executor: executor) { task in
                    job.core.finish(job.id, with: await Self.outcome(of: rest, in: valueBox), in: task)
                }
                job.core.proceed(job.id, with: work)
            }
        }
        return TicketPlace(core: core, ticket: ticket)
    }

    public func close(throwing error: any Error) { core.close(throwing: error) }

    /// How many wait for an answer.
    public var waiterCount: Int { core.waiterCount }

    /// True when nobody waits, no work runs or winds down, and nothing is kept.
    public var isIdle: Bool { core.isIdle }

    private nonisolated(nonsending) static func outcome(
        of rest: @Sendable () async throws -> Value, in box: Box<Value>.Type
    ) async -> CoalescingBooks.Outcome {
        do {
            return .success(box.init(try await rest()))
        } catch is CancellationError {
            return .failure(CoalescingFailure.workCancelledItself)
        } catch {
            return .failure(error)
        }
    }
}

/// One who waits, by its ticket.
private struct TicketPlace: SharedWorkPlace {
    let core: CoalescingCore
    /// Nil for one who was refused.
    let ticket: JoinTicket?

    func setPriority(_ priority: RequestPriority) {
        if let ticket { core.setPriority(priority, of: ticket) }
    }

    func leave() {
        if let ticket { core.leave(ticket) }
    }
}

/// What work has made, for those who wait for it.
protocol WorkValue: AnyObject, Sendable {
    func give(to waiters: ShortList<any SharedWorkWaiter>)
}

/// Hides a type from code that is not generic.
private final class Box<Value: Sendable>: WorkValue {
    let value: Value

    required init(_ value: Value) { self.value = value }

    func give(to waiters: ShortList<any SharedWorkWaiter>) {
        waiters.forEach { give(to: $0) }
    }

    private func give<Waiter: SharedWorkWaiter>(to waiter: Waiter) {
        // Sound: all who wait at one coalescer wait for its one type of value. A check would look for that in the runtime's tables, for each.
        waiter.succeeded(with: unsafe unsafeBitCast(value, to: Waiter.Value.self))
    }
}
