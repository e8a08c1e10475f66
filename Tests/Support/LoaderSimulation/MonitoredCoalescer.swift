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
        _ key: Key, as waiter: any SharedWorkWaiter<Value>, priority: RequestPriority,
        begin: SharedWorkBeginning<Value>
    ) -> any SharedWorkPlace {
        let (name, entry) = (name(key), entry(priority))
        let number = world.note { $0.books.joined(name, entry) }
        let place = base.join(key, priority: priority) { progress in
            Surroundings.$run.withValue(nil) { waiter.progressed(progress) }
        } onAnswer: { [world] answer in
            world.note { $0.books.left(name, number) }
            Surroundings.$run.withValue(nil) { waiter.ended(with: answer) }
        } begin: { [world] work, proceed in
            Self.begin(name, work, proceed, begin, world)
        }
        return MonitoredPlace(base: place, key: name, number: number, world: world)
    }

    private func entry(_ priority: RequestPriority) -> Books.Waiter {
        let parent = Surroundings.run
        return Books.Waiter(priority: priority, parent: parent, isPrefetch: parent == nil && !Surroundings.isRequest)
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

private struct MonitoredPlace: SharedWorkPlace {
    let base: any SharedWorkPlace
    let key: WorkKey
    let number: Int
    let world: World

    func setPriority(_ priority: RequestPriority) {
        world.note { $0.books.reprioritised(key, number, priority) }
        base.setPriority(priority)
    }

    func leave() {
        world.note { $0.books.left(key, number) }
        base.leave()
    }
}
