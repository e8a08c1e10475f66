public import ImageCore
import Synchronization

/// A coalescer that forwards to another one, and logs its calls and their results.
public final class RecordingCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    /// A call of the coalescer, or its result. Calls are numbered in order of arrival, from 1.
    public enum Message: Hashable, Sendable {
        /// A caller requested a value for a key.
        case called(Key, Int, RequestPriority)
        /// An operation for this key started.
        case started(Key)
        /// The priority of a call changed.
        case reprioritized(Int, RequestPriority)
        /// A call returned a value.
        case succeeded(Int)
        /// A call threw an error.
        case failed(Int)
        /// The coalescer was closed.
        case closed
    }

    private let base: any RequestCoalescer<Key, Value>
    private let log = MessageLog<Message>()
    private let count = Atomic(0)

    /// Creates a coalescer that forwards to another one.
    public init(_ base: any RequestCoalescer<Key, Value>) { self.base = base }

    /// All messages so far, in order.
    public var messages: [Message] { log.messages }

    public func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        let number = count.add(1, ordering: .relaxed).newValue
        log.append(.called(key, number, priority.value))
        let observation = priority.observe { [log] in log.append(.reprioritized(number, $0.value)) }
        defer { observation.end() }
        do {
            let value = try await base.value(for: key, priority: priority, onProgress: onProgress) { [log] shared in
                log.append(.started(key))
                return try await operation(shared)
            }
            log.append(.succeeded(number))
            return value
        } catch {
            log.append(.failed(number))
            throw error
        }
    }

    public func close(throwing error: any Error) {
        log.append(.closed)
        base.close(throwing: error)
    }
}
