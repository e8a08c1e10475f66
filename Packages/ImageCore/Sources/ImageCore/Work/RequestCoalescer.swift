/// Runs one operation for all callers that request the same key at the same time.
///
/// Promises:
/// - A caller joins the operation in progress for its key. There is at most one that can be joined.
/// - Each call returns or throws exactly once: with the operation's result or error, or with `CancellationError` as
///   soon as its task is cancelled. A task that is already cancelled starts no operation.
/// - The operation has the highest of its callers' priorities, even if these change.
/// - When the last caller leaves, the operation's task is cancelled. Later callers start a new operation, even while
///   the cancelled one is still running. A caller that leaves does not affect the others.
/// - Only cancelled callers receive `CancellationError`. An operation that throws it without being cancelled fails with
///   a different error.
/// - Callers receive progress in order, and none after their call has ended. A caller that joins late receives the
///   latest progress immediately. Handlers may report progress and call the coalescer. When an operation and its calls
///   have ended, the handlers are released.
/// - After ``close(throwing:)``, current and future calls end with the given error, without waiting for the operations.
public protocol RequestCoalescer<Key, Value>: AnyObject, Sendable {
    /// Identifies an operation.
    associatedtype Key: Hashable & Sendable
    /// The result of an operation.
    associatedtype Value: Sendable

    /// Returns the result of the operation for `key`, which all its callers share.
    ///
    /// - Parameters:
    ///   - key: Identifies the operation.
    ///   - priority: The priority of the caller. It can change while the caller waits.
    ///   - onProgress: Called with the operation's progress, on any thread, one call at a time.
    ///   - operation: Runs if no operation is in progress for `key`, in a separate task that inherits neither
    ///     task-local values nor cancellation.
    /// - Throws: The operation's error, `CancellationError` if the task is cancelled, or the error passed to `close`.
    func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value

    /// Cancels all operations, and ends current and future calls with `error`. Only the first call has an effect.
    func close(throwing error: any Error)
}

/// The connection of an operation to its callers.
public protocol SharedOperation: AnyObject, Sendable {
    /// The highest of the callers' priorities.
    var priority: LivePriority { get }

    /// Sends progress, combined by `WorkProgress.merge(_:)`, to all callers, and to callers that join later.
    func report(_ progress: WorkProgress)
}
