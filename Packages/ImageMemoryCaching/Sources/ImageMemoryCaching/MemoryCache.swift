public import ImageCore
import Synchronization

/// A memory cache with limits of total cost and number of entries. For images, use `MemoryImageCache`.
///
/// All operations are synchronous, on any thread. Lookups, insertions and removals of one key take O(1) amortized time.
/// A value that exceeds a limit by itself is refused and evicts nothing. The older value for its key is removed.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let storage: Mutex<CacheStorage<Key, Value>>
    private let now: (@Sendable () -> Duration)?
    private let lifetime: Duration?

    /// Creates an empty cache.
    /// - Parameters:
    ///   - limits: The limits of cost and count.
    ///   - policy: Chooses the entries to evict.
    ///   - clock: Measures lifetimes, and how long values are unused. Nil for the system's, and only if there is a lifetime.
    ///   - lifetime: The time after which an entry expires, from 0 to 100 years; nil for no limit.
    public convenience init(
        limits: CacheLimits, policy: EvictionPolicy = .lru, clock: (any Clock<Duration>)? = nil,
        lifetime: Duration? = nil
    ) {
        self.init(limits: limits, policy: policy, clock: clock, lifetime: lifetime, makeReference: nil)
    }

    /// - Parameter makeReference: If set, evicted values can be found, and become entries again, while others retain
    ///   them.
    init(
        limits: CacheLimits, policy: EvictionPolicy, clock: (any Clock<Duration>)?, lifetime: Duration?,
        systemClock: any Clock<Duration> = ContinuousClock(), makeReference: WeakIndex<Key, Value>.MakeReference?
    ) {
        let clock = clock ?? (lifetime == nil ? nil : systemClock)
        let weakIndex = makeReference.map { WeakIndex<Key, Value>($0) }
        storage = Mutex(CacheStorage(limits: limits, policy: policy, weakIndex: weakIndex))
        now = clock.map(stopwatch)
        self.lifetime = lifetime?.limited
    }

    /// Returns the value for a key, or nil. Finding a value counts as a use of it.
    public func value(for key: Key) -> Value? {
        let now = now?()
        return withStorage { $0.value(for: key, at: now) }
    }

    /// Inserts a value for a key and removes the older value.
    /// - Parameters:
    ///   - value: The value.
    ///   - cost: The cost in the unit of the limits. A negative value counts as 0.
    ///   - retention: Whether the value is expensive to get back.
    ///   - key: Identifies the value.
    public func insert(_ value: Value, cost: Int = 1, retention: MemoryRetention = .preferred, for key: Key) {
        let now = now?()
        let hash = UInt64(truncatingIfNeeded: key.hashValue)
        let record = EntryRecord(
            candidate: EvictionCandidate(hash: hash, cost: max(0, cost), retention: retention), lastUse: now,
            expiry: now.flatMap { now in lifetime.map { now + $0 } })
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
        let now = now?()
        let unwanted = withStorage { $0.lastUses }.filter { key, lastUse in
            isUnwanted(key, lastUse.flatMap { lastUse in now.map { $0 - lastUse } })
        }
        _ = withStorage { storage in unwanted.map { storage.removeValue(for: $0.key) } }
    }

    /// Evicts entries until the total cost and the number of entries are at most these. The limits don't change.
    public func trim(toCost cost: Int = .max, count: Int = .max) { withStorage { $0.trim(toCost: cost, count: count) } }

    /// The limits. Lower limits of cost and count evict entries at once. The entry cost applies to later insertions.
    public var limits: CacheLimits {
        get { withStorage { $0.limits } }
        set { withStorage { $0.setLimits(newValue) } }
    }

    /// The sum of the costs of all entries. It is exact and never exceeds `limits.cost`.
    public var totalCost: Int { withStorage { $0.totalCost } }

    /// The number of entries. It is exact and never exceeds `limits.count`.
    public var count: Int { withStorage { $0.count } }

    /// Runs a closure under the lock, and releases the removed values without the lock.
    private func withStorage<Result: Sendable>(_ body: (inout CacheStorage<Key, Value>) -> Result) -> Result {
        let (result, removed) = storage.withLock { storage in
            let result = body(&storage)
            return (result, storage.takeRemoved())
        }
        return withExtendedLifetime(removed) { result }
    }
}
