import ImageCore
import ImageTesting
import Synchronization

/// Work whose priority rises right after each look at it, before whoever looked can act on what it saw.
final class RestlessWork: SharedWork {
    private struct State {
        var priority = RequestPriority.veryLow
        var handler: (@Sendable (RequestPriority) -> Void)?
    }

    private let state = Mutex(State())
    /// Passed whenever a handler was set and told.
    let listened = Gate()

    /// What the priority has become; looking here changes nothing.
    var now: RequestPriority { state.withLock { $0.priority } }

    var priority: RequestPriority {
        let (seen, risen, handler) = state.withLock { state in
            let seen = state.priority
            state.priority = RequestPriority(rawValue: seen.rawValue + 1) ?? seen
            return (seen, state.priority, state.handler)
        }
        handler?(risen)
        return seen
    }

    func onPriorityChange(_ handler: @escaping @Sendable (RequestPriority) -> Void) {
        let now = state.withLock { state in
            state.handler = handler
            return state.priority
        }
        handler(now)
        listened.open()
    }

    func report(_ progress: WorkProgress) {}
}

extension ManualScheduler {
    /// What this work was enqueued at, or was last moved to.
    func lastPriority(of id: WorkID) -> RequestPriority? { Self.lastPriority(of: id, in: messages) }

    /// Returns when work that waited was cancelled.
    func reachesCancellation() async {
        await reaches { $0.contains { if case .cancelled(_, wasWaiting: true) = $0 { true } else { false } } }
    }

    /// Returns when the priority of the work is this one.
    func reaches(_ priority: RequestPriority, of id: WorkID) async {
        await reaches { Self.lastPriority(of: id, in: $0) == priority }
    }

    private static func lastPriority(of id: WorkID, in messages: [Message]) -> RequestPriority? {
        messages.reduce(nil) { last, message in
            switch message {
            case .enqueued(id, _, let priority, _), .reprioritised(id, let priority): priority
            default: last
            }
        }
    }
}
