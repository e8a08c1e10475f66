import Synchronization

/// The calls of a test's closure.
final class TestLog<Message: Sendable>: Sendable {
    private let state = Mutex<[Message]>([])

    var messages: [Message] { state.withLock { $0 } }

    func append(_ message: Message) { state.withLock { $0.append(message) } }
}
