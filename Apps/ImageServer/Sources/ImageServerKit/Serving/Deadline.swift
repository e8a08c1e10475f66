/// The time of an operation is over.
struct DeadlineExceeded: Error, Hashable, Sendable {}

/// Runs an operation, and cancels it and throws `DeadlineExceeded` after a time.
///
/// Returns when the operation has reacted to the cancellation, or after a quarter of a second: some encoders can't be
/// interrupted. What the operation holds is then freed when it ends.
func withDeadline<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (events, event) = AsyncStream<DeadlineEvent<Value>>.makeStream()
    let work = Task {
        do {
            event.yield(.ended(.success(try await operation())))
        } catch {
            event.yield(.ended(.failure(error)))
        }
    }
    let timer = Task {
        try await clock.sleep(for: limit)
        work.cancel()
        event.yield(.timeOver)
        try await clock.sleep(for: .milliseconds(250))
        event.yield(.graceOver)
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        try await result(of: events)
    } onCancel: {
        work.cancel()
    }
}

/// What happens to an operation with a deadline.
private enum DeadlineEvent<Value: Sendable>: Sendable {
    case ended(Result<Value, any Error>)
    case timeOver
    case graceOver
}

private func result<Value>(of events: AsyncStream<DeadlineEvent<Value>>) async throws -> Value {
    var isOver = false
    for await event in events {
        switch event {
        case .ended(let result):
            if isOver { throw DeadlineExceeded() }
            return try result.get()
        case .timeOver: isOver = true
        case .graceOver: throw DeadlineExceeded()
        }
    }
    throw CancellationError()
}
