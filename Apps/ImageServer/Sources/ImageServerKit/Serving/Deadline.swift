/// The time of an operation is over.
struct DeadlineExceeded: Error, Hashable, Sendable {}

/// Runs an operation, and cancels it and throws `DeadlineExceeded` after a time.
///
/// Returns when the operation has reacted to the cancellation.
func withDeadline<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw DeadlineExceeded()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw DeadlineExceeded() }
        return value
    }
}
