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
    private let core = CoalescingCore()
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: the threads that work prefers; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        let outcome = try await core.outcome(
            Seat(key), name: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress
        ) { [core] id in
            let job = CoalescedJob(core: core, id: id, firstPriority: priority)
            return Task.detached(executorPreference: executor) {
                core.finish(id, with: Outcome(await Self.outcome(of: work, job)))
            }
        }
        guard let outcome = outcome as? Outcome<Value> else { preconditionFailure("an answer of another coalescer") }
        return try outcome.result.get()
    }

    public func setPriority(_ priority: RequestPriority, of waiter: WaiterID) { core.setPriority(priority, of: waiter) }

    public func close(throwing error: any Error) {
        core.close(throwing: error, Outcome<Value>(.failure(error)))
    }

    /// How many calls of `value` wait for an answer.
    public var waiterCount: Int { core.waiterCount }

    /// True when nobody waits, no work runs or winds down, and nothing is kept.
    public var isIdle: Bool { core.isIdle }

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
}

private final class Seat<Key: Hashable & Sendable>: CoalescingSeat {
    private let key: Key
    let keyHash: Int
    private let rawTicket = Atomic<UInt64>(.max)

    init(_ key: Key) {
        self.key = key
        keyHash = key.hashValue
    }

    var ticket: JoinTicket? {
        get {
            let raw = rawTicket.load(ordering: .relaxed)
            return raw == .max ? nil : JoinTicket(rawValue: raw)
        }
        set { rawTicket.store(newValue?.rawValue ?? .max, ordering: .relaxed) }
    }

    func hasKey(of other: any CoalescingSeat) -> Bool { (other as? Seat<Key>)?.key == key }
}

/// What work came to.
private final class Outcome<Value: Sendable>: Sendable {
    let result: Result<Value, any Error>

    init(_ result: Result<Value, any Error>) { self.result = result }
}
