/// Lets many waiters share one piece of work.
///
/// Promises:
/// - While work for a key is under way, whoever asks for that key joins it; its closure is called once.
/// - Every waiter is answered exactly once: with the result, with the error, or with `CancellationError` when its own task
///   was cancelled. A join at any moment, completion included, is answered.
/// - Work runs at the maximum of its waiters' priorities, and is told when that changes.
/// - The last waiter to leave cancels the work. Whoever asks afterwards starts anew, even while the old work winds down.
/// - A waiter that leaves changes nothing for the others.
/// - `CancellationError` reaches a waiter only when its own task was cancelled: work that throws it by itself ends its
///   waiters with another error.
/// - Once it is closed, work is cancelled and its waiters, and whoever asks from then on, are answered with the error of the closing,
///   unless their own tasks were cancelled.
public protocol RequestCoalescer<Key, Value>: Sendable {
    associatedtype Key: Hashable & Sendable
    associatedtype Value: Sendable

    /// Joins the work for `key`, or starts it.
    ///
    /// - Parameters:
    ///   - waiter: names this waiter, so that its priority can be changed.
    ///   - onJoin: called once, before this returns, when the waiter has joined: `setPriority` counts from then on. Not called
    ///     when the waiter's task was cancelled before.
    ///   - onProgress: told what the work reports; a late joiner is told the latest report at once.
    ///   - work: called in a task of its own when there is none to join.
    func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value

    /// Does what `value` does, for a waiter that has no task: it is called back.
    ///
    /// - Parameters:
    ///   - onJoin: as above; when it is called relative to this function's return is not said.
    ///   - onAnswer: called exactly once, on an unspecified thread, before or after this returns: with what `value` would return or throw.
    /// - Returns: what makes the waiter leave, as cancelling its task would: unless it is answered already, it is answered with
    ///   `CancellationError`. Whether the task that calls this is cancelled makes no difference.
    func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> @Sendable () -> Void

    /// Changes what one waiter wants; the work's priority becomes the new maximum. Nothing happens before the waiter has
    /// joined or after it was answered.
    func setPriority(_ priority: RequestPriority, of waiter: WaiterID)

    /// Ends it for good: answers every waiter with `error`, cancels all work, and takes none any more. The first call counts.
    func close(throwing error: any Error)
}

extension RequestCoalescer {
    /// Joins the work for `key`, or starts it, for a waiter whose priority does not change meanwhile.
    public func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        try await value(
            for: key, waiter: waiter, priority: priority, onJoin: {}, onProgress: onProgress, work: work)
    }

    /// Waits with `value` in a task.
    public func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> @Sendable () -> Void {
        joinInTask(
            key, as: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress, onAnswer: onAnswer, work: work)
    }

    /// What `join` does unless a coalescer knows better; the task runs on the executor, if there is one.
    package func joinInTask(
        on executor: (any TaskExecutor)? = nil, _ key: Key, as waiter: WaiterID, priority: RequestPriority,
        onJoin: @escaping @Sendable () -> Void, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> @Sendable () -> Void {
        let task = Task(executorPreference: executor) {
            do {
                let value = try await value(
                    for: key, waiter: waiter, priority: priority, onJoin: onJoin, onProgress: onProgress, work: work)
                onAnswer(.success(value))
            } catch {
                onAnswer(.failure(error))
            }
        }
        return { task.cancel() }
    }
}

/// What shared work knows of its waiters.
public protocol SharedWork: Sendable {
    /// The maximum of the waiters' priorities now.
    var priority: RequestPriority { get }

    /// Calls `handler` with the maximum now, and with each new maximum from now on; replaces an earlier handler.
    /// So no change is lost between the start of the work and this call.
    func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void)

    /// Tells every waiter, and later ones, how far the work is. Progress never goes back: work that begins again, because a
    /// transfer broke off, tells nothing new until it has come further than before.
    func report(_ progress: WorkProgress)
}

/// How far a piece of work is: its transfer in bytes, and what there is of its result.
public struct WorkProgress: Hashable, Sendable {
    public var completedBytes: Int
    /// Nil when the origin does not say.
    public var totalBytes: Int?
    /// The picture as far as it can be seen, for work that makes one. Each report carries the latest, so that a late joiner sees it.
    public var preview: ImagePreview?
    /// The bytes themselves, for work that brings them. Each report carries the transfer that they come from.
    package var received: ReceivedBytes?

    public init(completedBytes: Int, totalBytes: Int?) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
    }
}

/// A picture that is not there as a whole, or not as good as it will be.
public struct ImagePreview: Hashable, Sendable {
    /// Its `completeness` is `.preview`.
    public let image: DecodedImage
    /// Grows from each preview of one piece of work to the next.
    public let number: Int

    public init(_ image: DecodedImage, number: Int) {
        var image = image
        if image.completeness != .preview { image.completeness = .preview }
        self.image = image
        self.number = number
    }
}

/// Names one waiter, everywhere.
public struct WaiterID: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
