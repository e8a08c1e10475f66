public import ImageCore
import Synchronization

/// Lets many waiters share one piece of work per key.
///
/// - Work that proceeds runs in a detached task of its own: no waiter's task, task-locals or priority reach into it.
/// - Handlers are called with no lock held, in the order in which things happened, one at a time for each piece of work,
///   on the thread that caused the call; quick handlers keep the others' answers quick. All progress that was reported
///   before the work ended is told before the answer. A report that is being told while a waiter leaves may still reach it.
/// - Work that throws `CancellationError` by itself ends its waiters with `CoalescingFailure.workCancelledItself`, so that
///   `CancellationError` always means that the waiter left.
/// - `setPriority` for a waiter that has not joined yet, or has been answered, changes nothing.
public final class SharedWorkCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private let core = CoalescingCore()
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: the threads that work prefers; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void, begin: @escaping SharedWorkBeginning<Value>
    ) -> @Sendable () -> Void {
        let call = Call(core, key, waiter, priority, executor, onProgress, onAnswer, begin)
        core.join(call)
        return { call.leave() }
    }

    public func setPriority(_ priority: RequestPriority, of waiter: WaiterID) { core.setPriority(priority, of: waiter) }

    public func close(throwing error: any Error) { core.close(throwing: error) }

    /// How many wait for an answer.
    public var waiterCount: Int { core.waiterCount }

    /// True when nobody waits, no work runs or winds down, and nothing is kept.
    public var isIdle: Bool { core.isIdle }
}

/// One call of `join`.
private final class Call<Key: Hashable & Sendable, Value: Sendable>: CoalescingCall {
    let keyHash: Int
    let name: WaiterID
    let priority: RequestPriority
    let onProgress: @Sendable (WorkProgress) -> Void
    private let core: CoalescingCore
    private let key: Key
    private let executor: (any TaskExecutor)?
    private let onAnswer: @Sendable (Result<Value, any Error>) -> Void
    private let beginning: SharedWorkBeginning<Value>
    private let rawTicket = Atomic<UInt64>(.max)

    init(
        _ core: CoalescingCore, _ key: Key, _ name: WaiterID, _ priority: RequestPriority,
        _ executor: (any TaskExecutor)?,
        _ onProgress: @escaping @Sendable (WorkProgress) -> Void,
        _ onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ beginning: @escaping SharedWorkBeginning<Value>
    ) {
        self.core = core
        self.key = key
        self.name = name
        self.priority = priority
        self.executor = executor
        self.onProgress = onProgress
        self.onAnswer = onAnswer
        self.beginning = beginning
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

    func leave() { core.leave(self) }

    func answer(_ outcome: CoalescingBooks.Outcome) {
        switch outcome {
        case .success(let box):
            // Sound: all calls of one core are one coalescer's, and have one type of value. A check would look for the type in the
            // runtime's tables, for each waiter.
            onAnswer(.success(unsafe unsafeDowncast(box, to: Box<Value>.self).value))
        case .failure(let error): onAnswer(.failure(error))
        }
    }

    func begin(_ job: CoalescedJob) -> @Sendable () -> Void {
        beginning(job) { [executor] rest in
            let maker = CoalescingBooks.TaskMaker {
                // A task that is told of no executor, not even of none, need not ask for one under a lock at each call.
                guard let executor else { return Task.detached { await Self.run(rest, job) } }
                return Task.detached(executorPreference: executor) { await Self.run(rest, job) }
            }
            job.core.proceed(job.id, in: maker)
        }
    }

    private static func run(_ rest: @Sendable () async throws -> Value, _ job: CoalescedJob) async {
        job.core.finish(job.id, with: await outcome(of: rest))
    }

    private static func outcome(of rest: @Sendable () async throws -> Value) async -> CoalescingBooks.Outcome {
        do {
            return .success(Box(try await rest()))
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
