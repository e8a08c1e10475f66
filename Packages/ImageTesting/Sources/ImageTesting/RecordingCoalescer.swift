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
    private let log = MessageLog<Message>()
    private let count = Atomic(0)

    public init(_ base: any RequestCoalescer<Key, Value>) { self.base = base }

    /// Everything so far.
    public var messages: [Message] { log.messages }

    public func join(
        _ key: Key, as waiter: any SharedWorkWaiter<Value>, priority: RequestPriority,
        begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace {
        let number = count.add(1, ordering: .relaxed).newValue
        log.append(.asked(key, number, priority))
        let place = base.join(key, priority: priority) {
            waiter.progressed($0)
        } onAnswer: { [log] answer in
            switch answer {
            case .success: log.append(.answered(number))
            case .failure: log.append(.failed(number))
            }
            waiter.ended(with: answer)
        } begin: { work, proceed in
            log.append(.started(key))
            return begin(work, proceed)
        }
        return RecordedPlace(base: place) { [log] in log.append(.reprioritised(number, $0)) }
    }

    public func close(throwing error: any Error) {
        log.append(.closed)
        base.close(throwing: error)
    }
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
