import ImageCore
import Synchronization

/// The changes that wait to be made in the lower level, concurrently for different keys: at most one for each key, the
/// newest.
final class PendingWrites: Sendable {
    enum Change: Sendable {
        case store(DataCacheEntry)
        /// Removes the older entry of a store that was dropped.
        case remove

        var byteCount: Int {
            switch self {
            case .store(let entry): entry.data.count + entry.metadata.count
            case .remove: 0
            }
        }
    }

    private struct State {
        /// The waiting changes, and their keys in order of arrival.
        var waiting: [DataCacheKey: Change] = [:]
        var order: [DataCacheKey] = []
        var waitingBytes = 0
        /// The changes that are being made.
        var running: [DataCacheKey: (change: Change, task: Task<Void, Never>)] = [:]
    }

    private let limits: TieredCacheOptions
    private let apply: @Sendable (Change, DataCacheKey) async -> Void
    private let state = Mutex(State())

    /// - Parameter apply: Makes a change in the lower level.
    init(_ limits: TieredCacheOptions, apply: @escaping @Sendable (Change, DataCacheKey) async -> Void) {
        self.limits = limits
        self.apply = apply
    }

    /// Returns the newest change of a key that waits or is being made.
    func change(of key: DataCacheKey) -> Change? {
        state.withLock { $0.waiting[key] ?? $0.running[key]?.change }
    }

    /// Returns false if there is no space. The outdated entry of the lower level is then removed, if there is space for
    /// that.
    func add(_ entry: DataCacheEntry, for key: DataCacheKey) -> Bool {
        state.withLock { state in
            Self.discard(key, in: &state)
            let store = Change.store(entry)
            let fits =
                state.waiting.count < limits.maxPendingWrites
                && store.byteCount <= max(0, limits.pendingByteLimit) - state.waitingBytes
            guard fits || state.waiting.count < limits.maxPendingRemovals else { return false }
            let change = fits ? store : .remove
            state.waiting[key] = change
            state.order.append(key)
            state.waitingBytes += change.byteCount
            startNext(in: &state)
            return fits
        }
    }

    /// Discards the waiting change of a key, and waits for the one that is being made.
    func cancel(_ key: DataCacheKey) async {
        let running = state.withLock { state in
            Self.discard(key, in: &state)
            return state.running[key]?.task
        }
        await running?.value
    }

    /// Discards all waiting changes, and waits for those that are being made.
    func cancelAll() async {
        let running = state.withLock { state in
            state.waiting = [:]
            state.order = []
            state.waitingBytes = 0
            return state.running.values.map(\.task)
        }
        for task in running { await task.value }
    }

    /// Waits until no change is left.
    func finish() async {
        while let task = state.withLock({ $0.running.values.first?.task }) { await task.value }
    }

    private static func discard(_ key: DataCacheKey, in state: inout State) {
        guard let discarded = state.waiting.removeValue(forKey: key) else { return }
        state.order.removeAll { $0 == key }
        state.waitingBytes -= discarded.byteCount
    }

    /// Starts changes until the limit is reached. A key whose older change is being made has to wait.
    private func startNext(in state: inout State) {
        while state.running.count < max(1, limits.maxConcurrentWrites),
            let index = state.order.firstIndex(where: { [running = state.running] in running[$0] == nil })
        {
            let key = state.order.remove(at: index)
            guard let change = state.waiting.removeValue(forKey: key) else { continue }
            state.waitingBytes -= change.byteCount
            let task = Task { [self] in
                await apply(change, key)
                self.state.withLock { state in
                    state.running[key] = nil
                    startNext(in: &state)
                }
            }
            state.running[key] = (change, task)
        }
    }
}
