import Synchronization

/// Keeps what it is told, in order, and lets a test await that so much has come: the heart of a spy.
public final class MessageLog<Message: Sendable>: Sendable {
    private struct State: Sendable {
        var messages: [Message] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Everything so far.
    public var messages: [Message] { state.withLock { $0.messages } }

    public func append(_ message: Message) {
        let reached = state.withLock { state in
            state.messages.append(message)
            let count = state.messages.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }

    /// Returns as soon as `count` messages have come since the beginning.
    public func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.messages.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
