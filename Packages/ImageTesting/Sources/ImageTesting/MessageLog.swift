/// Keeps what it is told, in order, and lets a test await that so much has come: the heart of a spy.
public final class MessageLog<Message: Sendable>: Sendable {
    private let watched = Watched<[Message]>([])

    public init() {}

    /// Everything so far.
    public var messages: [Message] { watched.value }

    public func append(_ message: Message) { watched.change { $0.append(message) } }

    /// Returns as soon as `count` messages have come since the beginning, or when the task is cancelled.
    public func reaches(_ count: Int) async { await watched.reaches { $0.count >= count } }
}
