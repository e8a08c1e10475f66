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
    private struct Books: Sendable {
        var core = CoalescingCore()
        /// Work that is joined by key.
        var current: [Key: JobID] = [:]
        /// What whoever asks is answered with, once it is closed.
        var closing: (any Error)?
    }

    private let books = Mutex(Books())
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: the threads that work prefers; nil for Swift's cooperative pool.
    public init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

    public func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        let seat = Seat()
        let outcome = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiting = CoalescingCore.Waiter(continuation: continuation, onProgress: onProgress)
                switch take(seat, key, waiter, priority, waiting) {
                case .failure(let error): continuation.resume(throwing: error)
                case .success(let effects):
                    if let job = effects.start { start(job, key: key, priority: priority, work) }
                    onJoin()
                    perform(effects)
                }
            }
        } onCancel: {
            leave(seat, key)
        }
        guard let outcome = outcome as? Outcome<Value> else { preconditionFailure("an answer of another coalescer") }
        return try outcome.result.get()
    }

    public func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        perform(books.withLock { $0.core.setPriority(priority, of: waiter) })
    }

    public func close(throwing error: any Error) {
        let effects = books.withLock { books in
            if books.closing != nil { return [CoalescingCore.Effects]() }
            books.closing = error
            books.current = [:]
            return books.core.close(with: Outcome<Value>(.failure(error)))
        }
        for effects in effects { perform(effects) }
    }

    /// How many calls of `value` wait for an answer.
    public var waiterCount: Int { books.withLock { $0.core.state.waiterCount } }

    /// True when nobody waits, no work runs or winds down, and nothing is kept.
    public var isIdle: Bool { books.withLock { $0.core.isEmpty && $0.current.isEmpty } }

    /// Joins work or has it started. Fails when the waiter's task was cancelled before, or the coalescer closed.
    ///
    /// A cancellation before this finds an empty seat and changes nothing, but is seen here by `isCancelled`, which it set
    /// before; one after this finds the ticket. So none is lost, and none need be remembered.
    private func take(
        _ seat: Seat, _ key: Key, _ name: WaiterID, _ priority: RequestPriority, _ waiter: CoalescingCore.Waiter
    ) -> Result<CoalescingCore.Effects, any Error> {
        books.withLock { books in
            if Task.isCancelled { return .failure(CancellationError()) }
            if let closing = books.closing { return .failure(closing) }
            let effects: CoalescingCore.Effects
            if let job = books.current[key] {
                effects = books.core.join(job, name: name, priority: priority, waiter: waiter)
            } else {
                let job: JobID
                (job, effects) = books.core.begin(name: name, priority: priority, waiter: waiter)
                books.current[key] = job
            }
            seat.ticket = effects.ticket
            return .success(effects)
        }
    }

    /// A key names its work only while somebody waits for it.
    private func leave(_ seat: Seat, _ key: Key) {
        let effects = books.withLock { books in
            guard let ticket = seat.ticket else { return CoalescingCore.Effects() }
            let effects = books.core.leave(ticket)
            if let job = effects.abandoned, books.current[key] == job { books.current[key] = nil }
            return effects
        }
        perform(effects)
    }

    private func start(
        _ id: JobID, key: Key, priority: RequestPriority,
        _ work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) {
        let job = CoalescedJob(coalescer: self, id: id, firstPriority: priority)
        let task = Task.detached(executorPreference: executor) {
            self.finish(id, key, with: Outcome(await Self.outcome(of: work, job)))
        }
        if books.withLock({ $0.core.attach(task, to: id) }) { task.cancel() }
    }

    private func finish(_ job: JobID, _ key: Key, with outcome: Outcome<Value>) {
        let effects = books.withLock { books in
            if books.current[key] == job { books.current[key] = nil }
            return books.core.finish(job, with: outcome)
        }
        perform(effects)
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

    private func perform(_ effects: CoalescingCore.Effects) {
        effects.cancel?.cancel()
        effects.dismiss?.continuation.resume(throwing: CancellationError())
        for job in effects.deliver { deliver(job) }
    }

    private func deliver(_ job: JobID) {
        while true {
            let messages = books.withLock { $0.core.nextMessages(of: job) }.messages
            guard !messages.isEmpty else { return }
            for message in messages {
                if let delivery = books.withLock({ $0.core.address(message, of: job) }) { deliver(delivery) }
            }
        }
    }

    private func deliver(_ delivery: CoalescingCore.Delivery) {
        switch delivery {
        case .progress(let progress, let handlers): for handler in handlers { handler(progress) }
        case .priority(let priority, let handler): handler(priority)
        case .outcome(let outcome, let waiters):
            for waiter in waiters { waiter.continuation.resume(returning: outcome) }
        }
    }
}

extension SharedWorkCoalescer {
    fileprivate func priority(of job: JobID) -> RequestPriority? { books.withLock { $0.core.state.priority(of: job) } }

    fileprivate func report(_ progress: WorkProgress, by job: JobID) {
        perform(books.withLock { $0.core.report(progress, by: job) })
    }

    fileprivate func listen(_ job: JobID, _ handler: @escaping @Sendable (RequestPriority) -> Void) {
        perform(books.withLock { $0.core.listen(job, handler) })
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

/// The ticket of one call, once it has one.
private final class Seat: Sendable {
    /// Read and written under the coalescer's lock.
    private let raw = Atomic<UInt64>(.max)

    var ticket: JoinTicket? {
        get {
            let raw = raw.load(ordering: .relaxed)
            return raw == .max ? nil : JoinTicket(rawValue: raw)
        }
        set { raw.store(newValue?.rawValue ?? .max, ordering: .relaxed) }
    }
}

/// What work came to.
private final class Outcome<Value: Sendable>: Sendable {
    let result: Result<Value, any Error>

    init(_ result: Result<Value, any Error>) { self.result = result }
}
