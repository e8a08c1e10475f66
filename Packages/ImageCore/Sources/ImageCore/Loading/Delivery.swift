/// The context in which handlers are called: an actor, a queue or the current thread.
///
/// For a dispatch queue, use `Delivery { queue.async(execute: $0) }`.
public struct Delivery: Sendable {
    /// Runs a closure once.
    public let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter enqueue: Runs the closure that it receives once, now or later.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// Calls handlers on the thread of the event. For quick handlers.
    public static let immediate = Delivery { $0() }

    /// Calls handlers on the main actor.
    public static let mainActor = Delivery { body in Task { @MainActor in body() } }

    /// Calls handlers on the executor of an actor.
    public static func on(_ actor: any Actor) -> Delivery {
        Delivery { body in
            Task { await actor.run(body) }
        }
    }
}

extension Actor {
    fileprivate func run(_ body: @Sendable () -> Void) { body() }
}
