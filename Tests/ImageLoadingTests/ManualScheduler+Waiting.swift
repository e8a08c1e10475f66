import ImageCore
import ImageTesting

extension ManualScheduler {
    /// Waits until work was cancelled while it waited.
    func reachesCancellation() async {
        await reaches { $0.contains { if case .cancelled = $0 { true } else { false } } }
    }

    /// Waits until the work has this priority.
    func reaches(_ priority: RequestPriority, of id: WorkID) async {
        await reaches { Self.lastPriority(of: id, in: $0) == priority }
    }

    private static func lastPriority(of id: WorkID, in messages: [Message]) -> RequestPriority? {
        messages.reduce(nil) { last, message in
            switch message {
            case .enqueued(id, _, let priority, _), .reprioritized(id, let priority): priority
            default: last
            }
        }
    }
}
