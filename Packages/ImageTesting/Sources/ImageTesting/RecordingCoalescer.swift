public import ImageCore
import Synchronization

/// Passes everything on to another coalescer, and keeps a log of what it was asked and how each waiter was answered.
public final class RecordingCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    /// What happened, in order. Waiters are numbered as they come, from 1.
    public enum Message: Hashable, Sendable {
        case asked(Key, Int, RequestPriority)
        /// The work was begun for this key: nobody was there to join.
        case started(Key)
        case reprioritised(Int, RequestPriority)
        case answered(Int)
        case failed(Int)
        case closed
    }

    private let base: any RequestCoalescer<Key, Value>
    private let log = Log<Message>()
    private let count = Atomic(0)

    public init(_ base: any RequestCoalescer<Key, Value>) { self.base = base }

    /// Everything so far.
    public var messages: [Message] { log.messages.withLock { $0 } }

    public func join(
        _ key: Key, as waiter: any SharedWorkWaiter<Value>, priority: RequestPriority,
        begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace {
        let number = count.add(1, ordering: .relaxed).newValue
        log.record(.asked(key, number, priority))
        let place = base.join(key, priority: priority) {
            waiter.progressed($0)
        } onAnswer: { [log] answer in
            switch answer {
            case .success(let value):
                log.record(.answered(number))
                waiter.succeeded(with: value)
            case .failure(let error):
                log.record(.failed(number))
                waiter.failed(with: error)
            }
        } begin: { work, proceed in
            log.record(.started(key))
            return begin(work, proceed)
        }
        return RecordedPlace(base: place) { [log] in log.record(.reprioritised(number, $0)) }
    }

    public func close(throwing error: any Error) {
        log.record(.closed)
        base.close(throwing: error)
    }
}

private final class Log<Message: Sendable>: Sendable {
    let messages = Mutex<[Message]>([])

    func record(_ message: Message) { messages.withLock { $0.append(message) } }
}

private struct RecordedPlace: SharedWorkPlace {
    let base: any SharedWorkPlace
    let onPriority: @Sendable (RequestPriority) -> Void

    func setPriority(_ priority: RequestPriority) {
        onPriority(priority)
        base.setPriority(priority)
    }

    func leave() { base.leave() }
}
