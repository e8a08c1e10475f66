import ImageCore
import Synchronization

/// The lookups in the lower level, and the stores in the upper one that follow them. No lookup waits for such a store.
///
/// A change outdates the lookups of its key that run when it ends. What they found is not stored.
final class RunningFills: Sendable {
    private struct State {
        var nextID = 0
        /// The keys of the lookups that aren't outdated.
        var current: [Int: DataCacheKey] = [:]
        var running: [Int: Task<Void, Never>] = [:]
        /// The number of `removeAll` calls that run.
        var removals = 0
    }

    /// The largest number of entries that wait to be stored. With a slow upper level, further ones aren't stored.
    private static let maxRunning = 16

    private let state = Mutex(State())

    /// Registers a lookup. Call `start` or `end` for it.
    func beginLookup(of key: DataCacheKey) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.current[state.nextID] = key
            return state.nextID
        }
    }

    /// Ends a lookup that found nothing, or whose entry is stored.
    func end(_ lookup: Int) {
        state.withLock { state in
            state.current[lookup] = nil
            state.running[lookup] = nil
        }
    }

    /// Starts to store what a lookup found. Returns false if too many entries wait.
    func start(_ lookup: Int, _ store: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard state.running.count < Self.maxRunning else {
                state.current[lookup] = nil
                return false
            }
            state.running[lookup] = Task { [self] in
                await store()
                end(lookup)
            }
            return true
        }
    }

    /// Whether nothing is looked up or stored.
    var isEmpty: Bool { state.withLock { $0.current.isEmpty && $0.running.isEmpty } }

    func isCurrent(_ lookup: Int) -> Bool { state.withLock { $0.removals == 0 && $0.current[lookup] != nil } }

    /// Outdates the lookups of a key.
    func outdate(_ key: DataCacheKey) {
        state.withLock { state in state.current = state.current.filter { $0.value != key } }
    }

    /// Outdates all lookups that run before the call of `endRemoval`.
    func beginRemoval() { state.withLock { $0.removals += 1 } }

    func endRemoval() {
        state.withLock { state in
            state.removals -= 1
            state.current = [:]
        }
    }

    /// Waits until nothing is being stored.
    func finish() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }
}
