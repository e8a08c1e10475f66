/// A detached task that prefers an executor, if there is one.
///
/// A task that is told of no preference is made without a word of it: one that has a record of a preference, even of none, asks for it
/// under a lock at each call of an asynchronous function.
@inlinable
@inline(__always)  // so that the operation is made a task's, and not wrapped
@discardableResult
package func detachedTask(
    on executor: (any TaskExecutor)?, _ operation: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    guard let executor else { return Task.detached(operation: operation) }
    return Task.detached(executorPreference: executor, operation: operation)
}
