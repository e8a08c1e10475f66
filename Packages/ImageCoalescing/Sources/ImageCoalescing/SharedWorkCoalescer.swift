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
        let call = Call(key, waiter, priority, executor, onJoin, onProgress, onAnswer: nil, work)
        return Call<Key, Value>.value(in: try await core.outcome(of: call))
    }

    public func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> @Sendable () -> Void {
        let call = Call(key, waiter, priority, executor, onJoin, onProgress, onAnswer: onAnswer, work)
        core.join(call)
        return { [core] in core.leave(call) }
    }

    public func setPriority(_ priority: RequestPriority, of waiter: WaiterID) { core.setPriority(priority, of: waiter) }

    public func close(throwing error: any Error) { core.close(throwing: error) }

    /// How many wait for an answer.
    public var waiterCount: Int { core.waiterCount }

    /// True when nobody waits, no work runs or winds down, and nothing is kept.
    public var isIdle: Bool { core.isIdle }
}

/// One call of `value` or `join`.
private final class Call<Key: Hashable & Sendable, Value: Sendable>: CoalescingCall {
    let keyHash: Int
    let name: WaiterID
    let priority: RequestPriority
    let onJoin: @Sendable () -> Void
    let onProgress: @Sendable (WorkProgress) -> Void
    private let key: Key
    private let executor: (any TaskExecutor)?
    private let onAnswer: (@Sendable (Result<Value, any Error>) -> Void)?
    private let work: @Sendable (any SharedWork) async throws -> Value
    private let rawTicket = Atomic<UInt64>(.max)
    /// Of a call by `value`.
    private let continuation = Mutex<CheckedContinuation<any AnyObject & Sendable, any Error>?>(nil)

    init(
        _ key: Key, _ name: WaiterID, _ priority: RequestPriority, _ executor: (any TaskExecutor)?,
        _ onJoin: @escaping @Sendable () -> Void, _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: (@Sendable (Result<Value, any Error>) -> Void)?,
        _ work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) {
        self.key = key
        self.name = name
        self.priority = priority
        self.executor = executor
        self.onJoin = onJoin
        self.onProgress = onProgress
        self.onAnswer = onAnswer
        self.work = work
        keyHash = key.hashValue
    }

    var ticket: JoinTicket? {
        get {
            let raw = rawTicket.load(ordering: .relaxed)
            return raw == .max ? nil : JoinTicket(rawValue: raw)
        }
        set { rawTicket.store(newValue?.rawValue ?? .max, ordering: .relaxed) }
    }

    func hasKey(of other: any CoalescingCall) -> Bool {
        guard let other = other as? Self else { return false }
        return other.key == key
    }

    func isAwaited(by continuation: CheckedContinuation<any AnyObject & Sendable, any Error>) {
        self.continuation.withLock { $0 = continuation }
    }

    func answer(_ outcome: CoalescingBooks.Outcome) {
        if let onAnswer { return tell(outcome, to: onAnswer) }
        continuation.withLock { $0.take() }?.resume(with: outcome)
    }

    private func tell(_ outcome: CoalescingBooks.Outcome, to onAnswer: @Sendable (Result<Value, any Error>) -> Void) {
        switch outcome {
        case .success(let box): onAnswer(.success(Self.value(in: box)))
        case .failure(let error): onAnswer(.failure(error))
        }
    }

    static func value(in box: any AnyObject & Sendable) -> Value {
        guard let box = box as? Box<Value> else { preconditionFailure("an answer of another coalescer") }
        return box.value
    }

    func begin(_ job: JobID, of core: CoalescingCore) -> Task<Void, Never> {
        let shared = CoalescedJob(core: core, id: job, firstPriority: priority)
        // A task that is told of no executor, not even of none, need not ask for one under a lock at each call.
        guard let executor else { return Task.detached { await self.run(shared) } }
        return Task.detached(executorPreference: executor) { await self.run(shared) }
    }

    private func run(_ job: CoalescedJob) async { job.core.finish(job.id, with: await outcome(of: job)) }

    private func outcome(of job: any SharedWork) async -> CoalescingBooks.Outcome {
        do {
            return .success(Box(try await work(job)))
        } catch is CancellationError {
            return .failure(CoalescingFailure.workCancelledItself)
        } catch {
            return .failure(error)
        }
    }
}

/// Hides a value's type from code that is not generic.
private final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
