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

    func join(
        _ key: Key, as waiter: WaiterID, priority: RequestPriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void,
        onAnswer: @escaping @Sendable (Result<Value, any Error>) -> Void, begin: @escaping SharedWorkBeginning<Value>
    ) -> @Sendable () -> Void {
        let (name, entry) = (name(key), entry(priority))
        world.note { $0.books.joined(name, waiter, entry) }
        let leave = base.join(key, as: waiter, priority: priority) { progress in
            Surroundings.$run.withValue(nil) { onProgress(progress) }
        } onAnswer: { [world] answer in
            world.note { $0.books.left(name, waiter) }
            Surroundings.$run.withValue(nil) { onAnswer(answer) }
        } begin: { [world] work, proceed in
            Self.begin(name, work, proceed, begin, world)
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

    private static func begin(
        _ key: WorkKey, _ shared: any SharedWork,
        _ proceed: @escaping @Sendable (@escaping @Sendable () async throws -> Value) -> Void,
        _ begin: SharedWorkBeginning<Value>, _ world: World
    ) -> @Sendable () -> Void {
        let (id, isOver) = world.note { ($0.books.began(key, shared), $0.isInvalidated) }
        if isOver { world.complain(Violation(.endsForGood, "\(key)")) }
        let giveUp = Surroundings.$run.withValue(id) {
            begin(shared) { rest in
                world.note { $0.books.starts(id) }
                proceed { try await run(id, rest, world) }
            }
        }
        return {
            world.note { state in
                state.books.cancelled(id)
                state.books.ended(id)
            }
            giveUp()
        }
    }

    private static func run(
        _ id: RunID, _ rest: @Sendable () async throws -> Value, _ world: World
    ) async throws -> Value {
        world.note { $0.books.hasStarted(id) }
        defer { world.note { $0.books.ended(id) } }
        return try await withTaskCancellationHandler {
            try await Surroundings.$run.withValue(id) { try await rest() }
        } onCancel: {
            world.note { $0.books.cancelled(id) }
        }
    }
}
