/// Lets many waiters share one piece of work.
///
/// Promises:
/// - While work for a key is under way, whoever asks for that key joins it; it is begun once.
/// - Every waiter is answered exactly once: with the result, with the error, or with `CancellationError` when it left. A join at any
///   moment, completion included, is answered.
/// - Work runs at the maximum of its waiters' priorities, and is told when that changes.
/// - The last waiter to leave cancels the work. Whoever asks afterwards starts anew, even while the old work winds down.
/// - A waiter that leaves changes nothing for the others.
/// - `CancellationError` reaches a waiter only when it left: work that throws it by itself ends its waiters with another error.
/// - Once it is closed, work is cancelled and its waiters, and whoever asks from then on, are answered with the error of the closing,
///   unless they have left.
public protocol RequestCoalescer<Key, Value>: Sendable {
    associatedtype Key: Hashable & Sendable
    associatedtype Value: Sendable

    /// Joins the work for `key`, or begins it.
    ///
    /// - Parameters:
    ///   - waiter: told what the work reports, a late joiner the latest report at once, and then, exactly once, how it ended; on an
    ///     unspecified thread, before or after this returns. Kept until then. One that waits for several pieces of work is several waiters.
    ///   - begin: called, before this returns, when there is no work to join.
    /// - Returns: its place among those who wait. Whether the task that calls this is cancelled makes no difference.
    func join(
        _ key: Key, as waiter: any SharedWorkWaiter<Value>, priority: RequestPriority,
        begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace

    /// Ends it for good: answers every waiter with `error`, cancels all work, and takes none any more. The first call counts.
    func close(throwing error: any Error)
}

/// One who waits for shared work.
public protocol SharedWorkWaiter<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The work reports how far it is.
    func progressed(_ progress: WorkProgress)

    /// The work's result. Nothing follows.
    func succeeded(with value: Value)

    /// The work's error, or `CancellationError` when the waiter has left. Nothing follows.
    func failed(with error: any Error)
}

extension SharedWorkWaiter {
    /// Tells how the work ended, for those who hand on what they were told.
    public func ended(with answer: Result<Value, any Error>) {
        switch answer {
        case .success(let value): succeeded(with: value)
        case .failure(let error): failed(with: error)
        }
    }
}

/// The place of one who waits for shared work. It does nothing any more once the waiter is answered.
public protocol SharedWorkPlace: Sendable {
    /// Changes what the waiter wants; the work's priority becomes the new maximum.
    func setPriority(_ priority: RequestPriority)

    /// Unless the waiter is answered already, it is answered with `CancellationError`.
    func leave()
}

/// Begins shared work, which has two parts: what takes no task, such as waiting for other shared work, and then what takes one.
///
/// - Parameters:
///   - work: what it knows of its waiters.
///   - proceed: to be called once with the second part, now or later, on whatever thread. It runs in a task of its own, not before this
///     function has returned, and what it returns or throws is the work's outcome.
/// - Returns: called once if everybody has left before `proceed` was called. The work is over then: `proceed` does nothing any more.
public typealias SharedWorkBeginning<Value> =
    @Sendable (
        _ work: any SharedWork, _ proceed: @escaping @Sendable (@escaping @Sendable () async throws -> Value) -> Void
    ) -> @Sendable () -> Void

extension RequestCoalescer {
    /// Joins the work for `key`, or begins it, for a waiter that is called back.
    ///
    /// - Parameters:
    ///   - onProgress: as `SharedWorkWaiter.progressed`.
    ///   - onAnswer: called exactly once.
    public func join(
        _ key: Key, priority: RequestPriority, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in },
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void, begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace {
        join(key, as: CalledBack(onProgress: onProgress, onAnswer: onAnswer), priority: priority, begin: begin)
    }

    /// Joins the work for `key`, or starts it, for a waiter that is called back.
    ///
    /// - Parameter work: called in a task of its own when there is none to join.
    public func join(
        _ key: Key, priority: RequestPriority, onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in },
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> any SharedWorkPlace {
        join(key, priority: priority, onProgress: onProgress, onAnswer: onAnswer) { shared, proceed in
            proceed { try await work(shared) }
            return {}
        }
    }

    /// Joins the work for `key`, or starts it, for a waiter that waits in a task; cancelling the task makes it leave. A task that is
    /// cancelled before it asks starts no work.
    ///
    /// - Parameters:
    ///   - onJoin: called once, before this returns, when the waiter has joined; given its place.
    ///   - work: called in a task of its own when there is none to join.
    public func value(
        for key: Key, priority: RequestPriority, onJoin: (any SharedWorkPlace) -> Void = { _ in },
        onProgress: @escaping @Sendable (WorkProgress) -> Void = { _ in },
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let leaving = CancellationLine()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let place = join(
                    key, priority: priority, onProgress: onProgress, onAnswer: { continuation.resume(with: $0) },
                    work: work)
                leaving.attach { place.leave() }
                onJoin(place)
            }
        } onCancel: {
            leaving.cancel()
        }
    }
}

/// A waiter that hands on what it is told.
private final class CalledBack<Value: Sendable>: SharedWorkWaiter {
    private let onProgress: @Sendable (WorkProgress) -> Void
    private let onAnswer: @Sendable (Result<Value, any Error>) -> Void

    init(
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.onProgress = onProgress
        self.onAnswer = onAnswer
    }

    func progressed(_ progress: WorkProgress) { onProgress(progress) }
    func succeeded(with value: Value) { onAnswer(.success(value)) }
    func failed(with error: any Error) { onAnswer(.failure(error)) }
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
