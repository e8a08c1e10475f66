/// Values under keys within limits: the state of a cache, without a lock. The ledger decides, this carries it out.
///
/// What is removed is handed to the caller, who decides where it is deallocated. Not copyable, so that a hit copies nothing.
/// Moments are nil without a clock.
@usableFromInline
struct CacheStorage<Key: Hashable, Value: Sendable>: ~Copyable {
    /// Each insertion looks at so many entries for expired ones.
    @inlinable static var sweepSteps: Int { 4 }

    @usableFromInline var ledger: CacheLedger
    @usableFromInline var entries = EntryBuffer<Key, Value>()
    @usableFromInline var weakIndex: WeakIndex<Key, Value>?

    @inlinable
    init(ledger: consuming CacheLedger, weakIndex: WeakIndex<Key, Value>?) {
        self.ledger = ledger
        self.weakIndex = weakIndex
    }

    /// The value under a key, which counts as a use. Nothing else: a miss is for `miss`.
    @inlinable
    mutating func value(for key: Key, at now: Duration?) -> Value? {
        guard let place = place(of: key, hash: Self.hash(key)), ledger.use(place, at: now) else { return nil }
        return entries.value(at: place)
    }

    /// Whatever can be done when there is no value under a key: what has expired goes, and what was evicted and is still in use
    /// comes back.
    @inlinable
    mutating func miss(_ key: Key, at now: Duration?, removing removed: inout [Value]) -> Value? {
        if let place = place(of: key, hash: Self.hash(key)) {
            if ledger.use(place, at: now) { return entries.value(at: place) }
            remove(place, .expiry, into: &removed)
        } else if let (value, record) = weakIndex?.find(key), !record.isOver(at: now) {
            ledger.revive()
            if let refused = admit(value, record, under: key, removing: &removed) { removed.append(refused) }
            return value
        }
        ledger.miss()
        return nil
    }

    /// Puts a value under a key once the ledger has a place for it. The older value goes in any case.
    @inlinable
    mutating func insert(
        _ value: Value, _ candidate: EvictionCandidate, lifetime: EntryLifetime?, under key: Key, at now: Duration?,
        removing removed: inout [Value]
    ) {
        if let older = removeValue(for: key) { removed.append(older) }
        if let now { sweep(Self.sweepSteps, at: now, removing: &removed) }
        let record = ledger.record(candidate, lifetime: lifetime, at: now)
        guard var refused = admit(value, record, under: key, removing: &removed) else { return }
        weakIndex?.add(key, &refused, record)
        removed.append(refused)
    }

    /// - Returns: the value, when it is refused.
    @inlinable
    mutating func admit(
        _ value: Value, _ record: CacheLedger.Record, under key: Key, removing removed: inout [Value]
    ) -> Value? {
        while true {
            switch ledger.admit(record) {
            case .evict(let place, let cause): remove(place, cause, into: &removed)
            case .refused: return value
            case .admitted(let place):
                entries.put(.init(key: key, value: value), at: place)
                weakIndex?.remove(key)
                return nil
            }
        }
    }

    @inlinable
    mutating func removeValue(for key: Key) -> Value? {
        weakIndex?.remove(key)
        guard let place = place(of: key, hash: Self.hash(key)) else { return nil }
        _ = ledger.remove(place)
        return entries.take(place).value
    }

    /// Forgets everything, what the policy has learned included, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll() -> [Value] {
        let removed = entries.map { $0.value }
        ledger.removeAll()
        entries = EntryBuffer()
        weakIndex?.removeAll()
        return removed
    }

    /// Evicts until the rest costs `cost` and is `count` entries at most. The limits stay.
    @inlinable
    mutating func trim(toCost cost: Int, count: Int, cause: EvictionCause) -> [Value] {
        var removed: [Value] = []
        while let place = ledger.excess(overCost: cost, count: count) { remove(place, cause, into: &removed) }
        return removed
    }

    /// Removes what has expired among so many entries, from where the last sweep ended.
    @inlinable
    mutating func sweep(_ steps: Int, at now: Duration, removing removed: inout [Value]) {
        for _ in 0..<steps {
            guard let place = ledger.nextExpired(at: now, isUsed: { entries.isUsed[$0] }) else { continue }
            remove(place, .expiry, into: &removed)
        }
    }

    /// All keys, also those of evicted values that could come back.
    @inlinable var keys: [Key] { entries.map { $0.key } + (weakIndex?.keys ?? []) }

    @inlinable
    mutating func remove(_ place: Int, _ cause: EvictionCause, into removed: inout [Value]) {
        let record = ledger.remove(place)
        ledger.noteEviction(cause)
        var (key, value) = entries.take(place)
        if cause != .expiry { weakIndex?.add(key, &value, record) }
        removed.append(value)
    }

    @inlinable
    func place(of key: Key, hash: UInt64) -> Int? {
        ledger.table.find(hash) { entries.isKey(key, at: $0) }
    }

    /// The key's own hash, spread over all bits: a key that carries its hash is not hashed again.
    @inlinable
    static func hash(_ key: Key) -> UInt64 {
        let product = UInt64(truncatingIfNeeded: key.hashValue).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
