public import ImageCore
import Synchronization

/// A maintained store for tests: an `InMemoryDataCache` with a clock that the test advances.
public final class InMemoryStore: DataCache, MaintainedStore {
    private struct State: Sendable {
        var now = Duration.zero
        var lastUse: [DataCacheKey: Duration] = [:]
    }

    /// The cache that stores the entries. Use it for the log and for faults.
    public let cache: InMemoryDataCache
    private let state = Mutex(State())

    /// Creates a store over a cache.
    public init(_ cache: InMemoryDataCache = InMemoryDataCache()) { self.cache = cache }

    /// Advances the clock of the store.
    public func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    public func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        let entry = try await cache.entry(for: key)
        if entry != nil { use(key) }
        return entry
    }

    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        try await cache.store(entry, for: key)
        use(key)
    }

    public func remove(for key: DataCacheKey) async throws(DataCacheFailure) { try await cache.remove(for: key) }

    public func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }

    public func removeAll(unusedFor age: Duration) async throws(DataCacheFailure) {
        let old = state.withLock { state in state.lastUse.filter { state.now - $0.value > age }.map(\.key) }
        for key in old { try await cache.remove(for: key) }
    }

    public func byteCount() async throws(DataCacheFailure) -> Int {
        cache.entries.values.reduce(0) { $0 + $1.data.count + $1.metadata.count }
    }

    private func use(_ key: DataCacheKey) { state.withLock { $0.lastUse[key] = $0.now } }
}
