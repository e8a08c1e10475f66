import Synchronization

/// The half that all monitors have in common: the latest level, and who is told of it.
package final class MemoryPressureBroadcast: Sendable {
    private struct State: Sendable {
        var level = MemoryPressureLevel.normal
        var handlers: [(id: UInt64, handler: @Sendable (MemoryPressureLevel) -> Void)] = []
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var level: MemoryPressureLevel { state.withLock { $0.level } }

    /// Keeps the level and tells it to everyone who observes now, in the order in which they came, with no lock held.
    ///
    /// A `.normal` that follows a `.normal` is told to nobody. To be called from one thread at a time.
    package func report(_ level: MemoryPressureLevel) {
        let handlers = state.withLock { state in
            defer { state.level = level }
            return level == .normal && state.level == .normal ? [] : state.handlers
        }
        for (_, handler) in handlers { handler(level) }
    }

    package func observe(
        _ handler: @escaping @Sendable (MemoryPressureLevel) -> Void
    ) -> MemoryPressureObservation {
        let id = state.withLock { state in
            state.nextID += 1
            state.handlers.append((state.nextID, handler))
            return state.nextID
        }
        return MemoryPressureObservation { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        // The handler is let go after the lock: what it held may run code when it goes.
        let removed = state.withLock { state in
            state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0).handler }
        }
        _ = consume removed
    }
}
