/// Runs one operation for all callers that ask for the same key at the same time.
///
/// Promises:
/// - A caller that asks for a key joins the operation in progress for that key. There is at most one that can be joined.
/// - Each call returns or throws exactly once, whenever it joined: with the operation's result or error, or with
///   `CancellationError` as soon as its task is cancelled. A task that was cancelled before starts nothing.
/// - The operation's priority is the highest of its callers' priorities, also while these change.
/// - When the last caller leaves, the operation's task is cancelled. Later callers start a new operation, even while the
///   cancelled one is still running. A caller that leaves does not affect the others.
/// - Callers see `CancellationError` only if they were cancelled. An operation that throws it without being cancelled
///   fails with a different error.
/// - Progress reaches each caller in order and never after its call has ended. A caller that joins late receives the
///   latest progress at once. Handlers may report and call the coalescer.
/// - After ``close(throwing:)``, present and future calls end with the given error, without waiting for the operations.
public protocol RequestCoalescer<Key, Value>: AnyObject, Sendable {
    associatedtype Key: Hashable & Sendable
    associatedtype Value: Sendable

    /// Returns the result of the operation for `key`, which is shared with all callers that ask for it meanwhile.
    ///
    /// - Parameters:
    ///   - priority: The caller's priority. Changes reach the operation while the caller waits.
    ///   - onProgress: Called with the operation's progress, on any thread, one call at a time.
    ///   - operation: Starts if no operation is in progress for `key`. Runs in a task of its own, which inherits neither
    ///     task-local values nor cancellation from the caller.
    /// - Throws: The operation's error, `CancellationError` if the caller's task is cancelled, or the error of the closing.
    func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value

    /// Cancels all operations and ends all calls with `error`, now and in future. Only the first call has an effect.
    func close(throwing error: any Error)
}

/// What an operation knows of the callers that wait for it.
public protocol SharedOperation: AnyObject, Sendable {
    /// The highest of the callers' priorities.
    var priority: LivePriority { get }

    /// Passes progress on to every caller, and to callers that join later.
    ///
    /// Progress accumulates as `WorkProgress.merge(_:)` says. A report that adds nothing reaches nobody.
    func report(_ progress: WorkProgress)
}
