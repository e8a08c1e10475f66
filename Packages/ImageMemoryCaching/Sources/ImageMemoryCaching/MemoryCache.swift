public import Synchronization

/// Keeps values within limits of cost and count, and lets a policy choose what goes.
///
/// Every operation is synchronous, O(1) (amortised, and but for those that concern all entries), and may be called from any
/// thread: a lock is held for the bookkeeping alone, and what is removed is deallocated after it is released.
///
/// The policy is told of all hits before it chooses, in the order in which they happened; but a thread that has found 64 tells of these
/// at once, before what threads that look at the same time may have found earlier. Only while threads keep each other busy, those after
/// the 512th of one of them count as hits, but not as uses, until there is time to tell.
///
/// A value above a limit alone is refused and evicts nothing. The older value under its key is dropped all the same: whoever
/// inserted the new one has said that the old one is out of date, and a miss is better than a stale hit.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Whether a thread tells of its hits. Others do not even try meanwhile, because a lock that is taken costs a call of the kernel.
    @usableFromInline let isTelling = Atomic(false)
    @usableFromInline let books: Mutex<CacheBooks<Key, Value>>
    @usableFromInline let entries: SharedEntries<Key, Value>
    @usableFromInline let clock: CacheClock?
    @usableFromInline let lifetime: EntryLifetime?

    /// - Parameters:
    ///   - clock: for lifetimes and for the age of entries. Without one, no time is read.
    ///   - lifetime: of entries that come without one. Needs a clock.
    ///   - weakForm: for values that others hold: they are found again after they were evicted, as long as others do. Such a
    ///     value costs the cache nothing, and counts as an entry again once it has been found.
    ///   - weakLimit: how many evicted values are remembered at most.
    ///   - readers: how many threads can find something at the same time without waiting for each other, 1 to 64, rounded up to a
    ///     power of two. Each costs an insertion some nanoseconds.
    @inlinable
    public init(
        limits: CacheLimits, policy: EvictionPolicy = .lru, clock: CacheClock? = nil, lifetime: EntryLifetime? = nil,
        weakForm: WeakForm<Value>? = nil, weakLimit: Int = 1_000, readers: Int = 4
    ) {
        precondition(lifetime == nil || clock != nil, "a lifetime needs a clock")
        let entries = SharedEntries<Key, Value>(readers: readers)
        let ledger = CacheLedger(limits: limits, policy: policy)
        let weakIndex = weakForm.map { WeakIndex<Key, Value>(form: $0, limit: weakLimit) }
        books = Mutex(CacheBooks(entries: entries, ledger: ledger, weakIndex: weakIndex))
        self.entries = entries
        self.clock = clock
        self.lifetime = lifetime
    }

    /// The value under a key. Finding it counts as a use.
    @inlinable
    public func value(for key: Key) -> Value? {
        let now = clock?.now()
        let hash = key.spreadHash
        guard let hit = entries.value(for: key, hash: hash, at: now) else {
            return withRemoved { $0.miss(key, hash: hash, at: now, removing: &$1) }
        }
        if hit.isTellingDue { tellUses() }
        return hit.value
    }

    /// Who changes the books now tells of the calling thread's hits, or it does so itself after more of them.
    @inlinable
    func tellUses() {
        if isTelling.exchange(true, ordering: .relaxed) { return }
        _ = books.withLockIfAvailable { $0.hearUses() }
        isTelling.store(false, ordering: .relaxed)
    }

    /// Puts a value under a key, in place of the older one.
    /// - Parameters:
    ///   - cost: not negative, in the unit of the limits.
    ///   - refetch: what it takes to get the value again.
    ///   - lifetime: nil for that of all entries. Needs a clock.
    @inlinable
    public func insert(
        _ value: Value, cost: Int = 1, refetch: RefetchCost = .network, lifetime: EntryLifetime? = nil, for key: Key
    ) {
        precondition(lifetime == nil || clock != nil, "an entry's lifetime needs a cache with a clock")
        let now = clock?.now()
        let candidate = EvictionCandidate(hash: key.spreadHash, cost: cost, refetch: refetch)
        let record = EntryRecord(new: candidate, lifetime: lifetime ?? self.lifetime, at: now)
        withRemoved { $0.insert(value, record, under: key, at: now, removing: &$1) }
    }

    @inlinable
    @discardableResult
    public func removeValue(for key: Key) -> Value? {
        let hash = key.spreadHash
        return books.withLock { $0.removeValue(for: key, hash: hash) }
    }

    /// Forgets all values, and what the policy has learned.
    @inlinable
    public func removeAll() { withRemoved { $0.removeAll(removing: &$1) } }

    /// Removes the values whose keys answer to a description. O(n).
    ///
    /// The description is asked without the lock; what is inserted meanwhile may stay.
    @inlinable
    public func removeAll(where isUnwanted: (Key) throws -> Bool) rethrows {
        let unwanted = try books.withLock { $0.keys() }.filter(isUnwanted)
        withRemoved { books, removed in
            removed.others = unwanted.compactMap {
                books.removeValue(for: $0, hash: $0.spreadHash)
            }
        }
    }

    /// Removes all entries whose time is over. O(n); a few of them go with each insertion anyway.
    @inlinable
    public func removeExpired() {
        guard let now = clock?.now() else { return }
        withRemoved { $0.removeExpired(at: now, removing: &$1) }
    }

    /// Evicts until the rest costs `cost` and is `count` entries at most. The limits stay as they are.
    /// - Parameter cause: what the statistics say of it: `.trim` or `.pressure`.
    @inlinable
    public func trim(toCost cost: Int = .max, count: Int = .max, cause: EvictionCause = .trim) {
        withRemoved { $0.evict(toCost: cost, count: count, cause, removing: &$1) }
    }

    /// What the cache may keep. Lowered limits of cost and count evict at once; that of one entry counts from then on.
    @inlinable public var limits: CacheLimits {
        get { books.withLock { $0.ledger.limits } }
        set { changeLimits { $0 = newValue } }
    }

    /// Changes some of the limits and leaves what another thread does to the others.
    @inlinable
    func changeLimits(_ change: (inout CacheLimits) -> Void) {
        withRemoved { books, removed in
            var limits = books.ledger.limits
            change(&limits)
            books.setLimits(limits, removing: &removed)
        }
    }

    /// The costs of all values now: exact, and never above `limits.cost`.
    @inlinable public var totalCost: Int { books.withLock { $0.ledger.totalCost } }

    /// How many values are kept now: exact, and never above `limits.count`.
    @inlinable public var count: Int { books.withLock { $0.ledger.count } }

    /// What the cache has done since it was made, and what it holds now.
    @inlinable public var statistics: CacheStatistics {
        let now = clock?.now()
        return books.withLock { $0.statistics(at: now) }
    }

    /// Runs a change under the lock and lets go of the values that it removed after the lock is released.
    @inlinable
    func withRemoved<Result: Sendable>(
        _ change: (inout CacheBooks<Key, Value>, inout RemovedValues<Value>) -> Result
    ) -> Result {
        let (result, removed) = books.withLock { books in
            var removed = RemovedValues<Value>()
            return (change(&books, &removed), removed)
        }
        _ = consume removed
        return result
    }
}
