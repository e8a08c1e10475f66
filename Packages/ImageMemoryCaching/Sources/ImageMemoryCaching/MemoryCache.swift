public import Synchronization

/// Keeps values within limits of cost and count, and lets a policy choose what goes.
///
/// Every operation is synchronous, O(1) (amortised, and but for those that concern all entries), and may be called from any
/// thread: a lock is held for the bookkeeping alone, and what is removed is deallocated after it is released.
///
/// A value above a limit alone is refused and evicts nothing. The older value under its key is dropped all the same: whoever
/// inserted the new one has said that the old one is out of date, and a miss is better than a stale hit.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let storage: Mutex<CacheStorage<Key, Value>>

    @inlinable
    public init(limits: CacheLimits, policy: EvictionPolicy = .lru) {
        storage = Mutex(CacheStorage(ledger: CacheLedger(limits: limits, policy: policy)))
    }

    /// The value under a key. Finding it counts as a use.
    @inlinable
    public func value(for key: Key) -> Value? { storage.withLock { $0.value(for: key) } }

    /// Puts a value under a key, in place of the older one.
    /// - Parameters:
    ///   - cost: not negative, in the unit of the limits.
    ///   - refetch: what it takes to get the value again.
    @inlinable
    public func insert(_ value: Value, cost: Int = 1, refetch: RefetchCost = .network, for key: Key) {
        discard { $0.insert(value, cost: cost, refetch: refetch, for: key) }
    }

    @discardableResult
    @inlinable
    public func removeValue(for key: Key) -> Value? { storage.withLock { $0.removeValue(for: key) } }

    /// Forgets all values, and what the policy has learned.
    @inlinable
    public func removeAll() { discard { $0.removeAll() } }

    /// Removes the values whose keys answer to a description. O(n).
    ///
    /// The description is asked without the lock; what is inserted meanwhile may stay.
    @inlinable
    public func removeAll(where isUnwanted: (Key) throws -> Bool) rethrows {
        let unwanted = try storage.withLock { $0.keys }.filter(isUnwanted)
        discard { storage in unwanted.compactMap { storage.removeValue(for: $0) } }
    }

    /// Evicts until the rest costs `cost` at most. The limits stay as they are.
    @inlinable
    public func trim(toCost cost: Int) { discard { $0.trim(toCost: cost, count: .max) } }

    /// Evicts until `count` entries are left at most. The limits stay as they are.
    @inlinable
    public func trim(toCount count: Int) { discard { $0.trim(toCost: .max, count: count) } }

    /// What the cache may keep. Lowered limits of cost and count evict at once; that of one entry counts from then on.
    @inlinable
    public var limits: CacheLimits {
        get { storage.withLock { $0.ledger.limits } }
        set { changeLimits { $0 = newValue } }
    }

    /// Changes some of the limits and leaves what another thread does to the others.
    @inlinable
    func changeLimits(_ change: (inout CacheLimits) -> Void) {
        discard { storage in
            var limits = storage.ledger.limits
            change(&limits)
            storage.ledger.setLimits(limits)
            return storage.trim(toCost: limits.cost, count: limits.count)
        }
    }

    /// The costs of all values now: exact, and never above `limits.cost`.
    @inlinable
    public var totalCost: Int { storage.withLock { $0.ledger.totalCost } }

    /// How many values are kept now: exact, and never above `limits.count`.
    @inlinable
    public var count: Int { storage.withLock { $0.ledger.count } }

    /// Runs a change under the lock and lets go of the values that it removed after the lock is released.
    @inlinable
    func discard(_ change: (inout CacheStorage<Key, Value>) -> [Value]) {
        let removed = storage.withLock { change(&$0) }
        _ = consume removed
    }
}
