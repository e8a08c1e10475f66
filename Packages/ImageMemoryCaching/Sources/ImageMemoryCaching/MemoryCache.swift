import Synchronization

/// A memory cache with limits of total cost and number of entries. For images, use `MemoryImageCache`.
///
/// All operations are synchronous, on any thread. Lookups, insertions and removals of one key take O(1) amortized time.
/// One lock protects the cache; removed values are released after it is unlocked. Under memory pressure, call `trim`.
/// A value that exceeds a limit by itself is refused and evicts nothing. The older value for its key is removed.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let storage: Mutex<CacheStorage<Key, Value>>
    private let clock: CacheClock?
    private let lifetime: EntryLifetime?

    /// Creates an empty cache.
    /// - Parameters:
    ///   - limits: The limits of cost and count.
    ///   - policy: Chooses the entries to evict.
    ///   - clock: Measures lifetimes and `CacheStatistics.coldestAge`.
    ///   - lifetime: The lifetime of entries that are inserted without one. Requires a clock.
    ///   - weakReferences: If set, evicted values can be found, and become entries again, while others retain them.
    ///   - weakLimit: The maximum number of weakly referenced values. The oldest are removed first.
    public init(
        limits: CacheLimits, policy: EvictionPolicy = .lru, clock: CacheClock? = nil, lifetime: EntryLifetime? = nil,
        weakReferences: WeakReferenceFactory<Value>? = nil, weakLimit: Int = 1_000
    ) {
        precondition(lifetime == nil || clock != nil, "a lifetime requires a clock")
        let weakIndex = weakReferences.map { WeakIndex<Key, Value>(factory: $0, limit: weakLimit) }
        storage = Mutex(CacheStorage(limits: limits, policy: policy, weakIndex: weakIndex))
        self.clock = clock
        self.lifetime = lifetime
    }

    /// Returns the value for a key, or nil. Finding a value counts as a use of it.
    public func value(for key: Key) -> Value? {
        let now = clock?.now()
        return withStorage { $0.value(for: key, at: now) }
    }

    /// Inserts a value for a key and removes the older value.
    /// - Parameters:
    ///   - cost: The cost in the unit of the limits. A negative value counts as 0.
    ///   - refetch: The cost of loading the value again.
    ///   - lifetime: Overrides the lifetime of the cache. Requires a clock.
    public func insert(
        _ value: Value, cost: Int = 1, refetch: RefetchCost = .network, lifetime: EntryLifetime? = nil, for key: Key
    ) {
        precondition(lifetime == nil || clock != nil, "a lifetime requires a cache with a clock")
        let now = clock?.now()
        let hash = UInt64(truncatingIfNeeded: key.hashValue)
        let record = EntryRecord(
            candidate: EvictionCandidate(hash: hash, cost: max(0, cost), refetch: refetch),
            times: now.map { EntryTimes(lifetime: lifetime ?? self.lifetime, now: $0) })
        withStorage { $0.insert(value, record, for: key, at: now) }
    }

    /// Removes and returns the value for a key.
    @discardableResult
    public func removeValue(for key: Key) -> Value? { withStorage { $0.removeValue(for: key) } }

    /// Removes all values and resets the eviction policy.
    public func removeAll() { withStorage { $0.removeAll() } }

    /// Removes the values that satisfy a predicate. O(n). Values that are inserted in the meantime may stay.
    /// - Parameter isUnwanted: Receives a key, and the time since its value was inserted or last found; nil without a
    ///   clock. Called without the lock.
    public func removeAll(where isUnwanted: (_ key: Key, _ unusedFor: Duration?) -> Bool) {
        let now = clock?.now()
        let unwanted = withStorage { $0.lastUses }.filter { key, lastUse in
            isUnwanted(key, lastUse.flatMap { lastUse in now.map { $0 - lastUse } })
        }
        _ = withStorage { storage in unwanted.map { storage.removeValue(for: $0.key) } }
    }

    /// Removes all expired entries. O(n). You don't need to call it, because each insertion checks a few entries.
    public func removeExpired() {
        guard let now = clock?.now() else { return }
        withStorage { $0.removeExpired(at: now) }
    }

    /// Evicts entries until the total cost and the number of entries are at most these. The limits don't change.
    /// - Parameter cause: The cause in the statistics, `.trim` or `.pressure`.
    public func trim(toCost cost: Int = .max, count: Int = .max, cause: EvictionCause = .trim) {
        withStorage { $0.evict(toCost: cost, count: count, cause) }
    }

    /// The limits. Lower limits of cost and count evict entries at once. The entry cost applies to later insertions.
    public var limits: CacheLimits {
        get { withStorage { $0.limits } }
        set { changeLimits { $0 = newValue } }
    }

    /// Changes the limits atomically.
    func changeLimits(_ change: (inout CacheLimits) -> Void) {
        withStorage { storage in
            var limits = storage.limits
            change(&limits)
            storage.setLimits(limits)
        }
    }

    /// The sum of the costs of all entries. It is exact and never exceeds `limits.cost`.
    public var totalCost: Int { withStorage { $0.totalCost } }

    /// The number of entries. It is exact and never exceeds `limits.count`.
    public var count: Int { withStorage { $0.count } }

    /// Counts since the cache was created, and its current size.
    public var statistics: CacheStatistics {
        let now = clock?.now()
        return withStorage { $0.statistics(at: now) }
    }

    /// Runs a closure under the lock, and releases the removed values without the lock.
    private func withStorage<Result: Sendable>(_ body: (inout CacheStorage<Key, Value>) -> Result) -> Result {
        let (result, removed) = storage.withLock { storage in
            let result = body(&storage)
            return (result, storage.takeRemoved())
        }
        return withExtendedLifetime(removed) { result }
    }
}
