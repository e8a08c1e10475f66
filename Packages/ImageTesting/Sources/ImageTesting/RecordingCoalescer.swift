public import ImageCore
import Synchronization

/// Passes everything on to another coalescer, and keeps a log of what it was asked and how each waiter was answered.
public final class RecordingCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    /// What happened, in order.
    public enum Message: Hashable, Sendable {
        case asked(Key, WaiterID, RequestPriority)
        /// The work was begun for this key: nobody was there to join.
        case started(Key)
        case reprioritised(WaiterID, RequestPriority)
        case answered(WaiterID)
        case failed(WaiterID)
        case closed
    }

    private let base: any RequestCoalescer<Key, Value>
    private let log = Mutex<[Message]>([])

    public init(_ base: any RequestCoalescer<Key, Value>) { self.base = base }

    /// Everything so far.
    public var messages: [Message] { log.withLock { $0 } }

    public func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void, begin: @escaping SharedWorkBeginning<Value>
    ) -> @Sendable () -> Void {
        record(.asked(key, waiter, priority))
        return base.join(key, as: waiter, priority: priority, onProgress: onProgress) { answer in
            if case .success = answer { self.record(.answered(waiter)) } else { self.record(.failed(waiter)) }
            onAnswer(answer)
        } begin: { work, proceed in
            self.record(.started(key))
            return begin(work, proceed)
        }
    }

    public func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        record(.reprioritised(waiter, priority))
        base.setPriority(priority, of: waiter)
    }

    public func close(throwing error: any Error) {
        record(.closed)
        base.close(throwing: error)
    }

    private func record(_ message: Message) { log.withLock { $0.append(message) } }
}
