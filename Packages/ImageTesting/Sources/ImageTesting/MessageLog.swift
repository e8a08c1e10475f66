/// A log of messages for spies. A test can await a number of messages.
public final class MessageLog<Message: Sendable>: Sendable {
    private let watched = Watched<[Message]>([])

    /// Creates an empty log.
    public init() {}

    /// All messages so far, in order.
    public var messages: [Message] { watched.value }

    /// Adds a message.
    public func append(_ message: Message) { watched.change { $0.append(message) } }

    /// Waits until the log has at least `count` messages, or until the task is cancelled.
    public func reaches(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await watched.reaches({ $0.count >= count }, file: file, line: line)
    }
}
