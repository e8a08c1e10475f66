/// Where handlers are called: an actor, a queue, the calling thread.
///
/// For a dispatch queue: `Delivery { queue.async(execute: $0) }`. What is enqueued runs once, soon.
public struct Delivery: Sendable {
    let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.enqueue = enqueue }

    /// On the thread on which it happens: for handlers that are quick and may be called from anywhere.
    public static let immediate = Delivery { $0() }

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
