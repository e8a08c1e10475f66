public import ImageCore
import Synchronization

/// Forwards to another coalescer, and records calls and how they ended.
public final class RecordingCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    /// What happened, in order. Calls are numbered as they arrive, from 1.
    public enum Message: Hashable, Sendable {
        case asked(Key, Int, RequestPriority)
        /// The operation was started for this key: there was none to join.
        case started(Key)
        case reprioritised(Int, RequestPriority)
        case answered(Int)
        case failed(Int)
        case closed
    }

    private let base: any RequestCoalescer<Key, Value>
    private let log = MessageLog<Message>()
    private let count = Atomic(0)

    public init(_ base: any RequestCoalescer<Key, Value>) { self.base = base }

    /// Everything so far.
    public var messages: [Message] { log.messages }

    public func value(
        for key: Key, priority: LivePriority, onProgress: @escaping @Sendable (WorkProgress) -> Void,
        operation: @escaping @Sendable (any SharedOperation) async throws -> Value
    ) async throws -> Value {
        let number = count.add(1, ordering: .relaxed).newValue
        log.append(.asked(key, number, priority.value))
        let observation = priority.observe { [log] in log.append(.reprioritised(number, $0.value)) }
        defer { observation.end() }
        do {
            let value = try await base.value(for: key, priority: priority, onProgress: onProgress) { [log] shared in
                log.append(.started(key))
                return try await operation(shared)
            }
            log.append(.answered(number))
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
