import ImageCore
import ImageLoading

/// Keeps the books about what goes into a coalescer and what comes out of it.
final class MonitoredCoalescer<Key: Hashable & Sendable, Value: Sendable>: RequestCoalescer {
    private let base: any RequestCoalescer<Key, Value>
    private let name: @Sendable (Key) -> WorkKey
    private let world: World

    init(
        _ base: any RequestCoalescer<Key, Value>, world: World, name: @escaping @Sendable (Key) -> WorkKey
    ) {
        self.name = name
        self.base = base
        self.world = world
    }

    func value(
        for key: Key, waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) async throws -> Value {
        let (name, entry) = (name(key), entry(priority))
        return try await withTaskCancellationHandler {
            try await base.value(
                for: key, waiter: waiter, priority: priority,
                onJoin: { [world] in
                    world.note { $0.books.joined(name, waiter, entry) }
                    onJoin()
                }, onProgress: { progress in Surroundings.$run.withValue(nil) { onProgress(progress) } }
            ) { [world] in try await Self.run(name, $0, work, world) }
        } onCancel: {
            world.note { $0.books.left(name, waiter) }
        }
    }

    func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority, onJoin: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void,
        work: @escaping @Sendable (any SharedWork) async throws -> Value
    ) -> @Sendable () -> Void {
        let (name, entry) = (name(key), entry(priority))
        let leave = base.join(key, as: waiter, priority: priority) { [world] in
            world.note { $0.books.joined(name, waiter, entry) }
            onJoin()
        } onProgress: { progress in
            Surroundings.$run.withValue(nil) { onProgress(progress) }
        } onAnswer: { answer in
            Surroundings.$run.withValue(nil) { onAnswer(answer) }
        } work: { [world] in
            try await Self.run(name, $0, work, world)
        }
        return { [world] in
            world.note { $0.books.left(name, waiter) }
            leave()
        }
    }

    private func entry(_ priority: RequestPriority) -> Books.Waiter {
        let parent = Surroundings.run
        return Books.Waiter(priority: priority, parent: parent, isPrefetch: parent == nil && !Surroundings.isRequest)
    }

    func setPriority(_ priority: RequestPriority, of waiter: WaiterID) {
        world.note { $0.books.reprioritised(waiter, priority) }
        base.setPriority(priority, of: waiter)
    }

    func close(throwing error: any Error) {
        world.note { $0.books.closed(pictures: Key.self == ImageJobKey.self) }
        base.close(throwing: error)
    }

    private static func run(
        _ key: WorkKey, _ shared: any SharedWork,
        _ work: @Sendable (any SharedWork) async throws -> Value, _ world: World
    ) async throws -> Value {
        let (id, isOver) = world.note { ($0.books.began(key, shared), $0.isInvalidated) }
        if isOver, !Task.isCancelled { world.complain(Violation(.endsForGood, "\(key)")) }
        defer { world.note { $0.books.ended(id) } }
        return try await withTaskCancellationHandler {
            try await Surroundings.$run.withValue(id) { try await work(shared) }
        } onCancel: {
            world.note { $0.books.cancelled(id) }
        }
    }
}
