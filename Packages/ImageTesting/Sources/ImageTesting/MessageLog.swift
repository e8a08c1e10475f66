/// A log of messages for spies. A test can await a number of messages.
package final class MessageLog<Message: Sendable>: Sendable {
    private let watched = Watched<[Message]>([])

    /// Creates an empty log.
    package init() {}

    /// All messages so far, in order.
    package var messages: [Message] { watched.value }

    /// Adds a message.
    package func append(_ message: Message) { watched.change { $0.append(message) } }

    /// Waits until the log has at least `count` messages, or until the task is cancelled.
    func waitForCount(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await watched.waitUntil({ $0.count >= count }, file: file, line: line)
    }
}
