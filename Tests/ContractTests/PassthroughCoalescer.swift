import ImageCore
import Synchronization

/// A minimal `RequestCoalescer` that starts an operation for each call. Use it to measure the effect of sharing.
///
/// Each call has a stream for its progress, its result and the closing error, so progress is ordered and ends with the
/// call.
final class PassthroughCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private enum Event: Sendable {
        case progress(WorkProgress), result(Value)
    }

    private typealias Events = AsyncThrowingStream<Event, any Error>

    /// An error for an operation that threw `CancellationError` without being cancelled.
    struct CancelledItself: Error {}

    /// An operation with one caller. It has the caller's priority.
    private final class Operation: SharedOperation {
        let priority: LivePriority
        let events: Events.Continuation

        init(_ priority: LivePriority, _ events: Events.Continuation) {
            self.priority = priority
            self.events = events
        }

        func report(_ progress: WorkProgress) { events.yield(.progress(progress)) }
    }

    private struct State: Sendable {
        var calls: [Int: Events.Continuation] = [:]
        var lastCall = 0
        var closingError: (any Error)?
    }

    private let state = Mutex(State())

    func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let (events, continuation) = Events.makeStream()
        let call = try add(continuation)
        defer { remove(call) }
        let task = Task.detached { await Self.run(operation, Operation(priority, continuation)) }
        defer { task.cancel() }
        return try await result(of: events, onProgress)
    }

    func close(throwing error: any Error) {
        let calls = state.withLock { state in
            if state.closingError == nil { state.closingError = error }
            return state.calls.values
        }
        for call in calls { call.finish(throwing: error) }
    }

    private func add(_ call: Events.Continuation) throws -> Int {
        try state.withLock { state in
            if let error = state.closingError { throw error }
            state.lastCall += 1
            state.calls[state.lastCall] = call
            return state.lastCall
        }
    }

    private func remove(_ call: Int) { _ = state.withLock { $0.calls.removeValue(forKey: call) } }

    private static func run(
        _ body: @Sendable (any SharedOperation) async throws -> Value, _ operation: Operation
    ) async {
        do {
            operation.events.yield(.result(try await body(operation)))
        } catch is CancellationError {
            operation.events.finish(throwing: CancelledItself())
        } catch {
            operation.events.finish(throwing: error)
        }
    }

    /// Waits for the result of a call. The stream of a cancelled task ends without one.
    private func result(of events: Events, _ onProgress: (WorkProgress) -> Void) async throws -> Value {
        var latest: WorkProgress?
        for try await event in events {
            switch event {
            case .result(let value): return value
            case .progress(let newer):
                if latest?.merge(newer) == false { continue }
                let progress = latest ?? newer
                latest = progress
                onProgress(progress)
            }
        }
        throw CancellationError()
    }
}
