/// Where handlers are called: on an actor, on a queue or on the current thread.
///
/// For a dispatch queue, use `Delivery { queue.async(execute: $0) }`.
public struct Delivery: Sendable {
    /// Runs a closure once.
    public let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// On the thread of the event. For quick handlers.
    public static let immediate = Delivery { $0() }

    /// On the main actor.
    public static let mainActor = Delivery { body in Task { @MainActor in body() } }

    /// On an actor's executor.
    public static func on(_ actor: any Actor) -> Delivery {
        Delivery { body in
            Task { await actor.run(body) }
        }
    }
}

extension Actor {
    fileprivate func run(_ body: @Sendable () -> Void) { body() }
}
