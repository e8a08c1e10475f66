/// What a cache changes under the lock of all its books: everything but hits. The ledger decides, this carries it out in the
/// shards, whose locks it takes one at a time and after that of the books.
///
/// What is removed is handed to the caller, who decides where it is deallocated. Moments are nil without a clock.
@usableFromInline
struct CacheBooks<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    /// Each insertion looks at so many entries for expired ones.
    @inlinable static var sweepSteps: Int { 4 }

    @usableFromInline let shards: CacheShards<Key, Value>
    @usableFromInline var ledger: CacheLedger
    @usableFromInline var weakIndex: WeakIndex<Key, Value>?
    /// The place where the search for expired entries goes on.
    @usableFromInline var sweepHand = 0

    @inlinable
    init(shards: CacheShards<Key, Value>, ledger: consuming CacheLedger, weakIndex: WeakIndex<Key, Value>?) {
        self.shards = shards
        self.ledger = ledger
        self.weakIndex = weakIndex
    }

    /// Tells the ledger of the hits in all shards, each oldest first.
    @inlinable
    mutating func hearUses() {
        for shard in 0..<shards.count { hearUses(of: shard) }
    }

    @inlinable
    mutating func hearUses(of shard: Int) { shards.withContents(of: shard) { $0.ledger.tellUses(to: &ledger) } }

    /// Whatever can be done when there is no value under a key: what has expired goes, and what was evicted and is still in use
    /// comes back.
    @inlinable
    mutating func miss(_ key: Key, hash: UInt64, at now: Duration?, removing removed: inout RemovedValues<Value>)
        -> Value?
    {
        if let place = place(of: key, hash: hash) {
            let hit = shards.withContents(of: shards.shard(of: hash)) { $0.value(for: key, hash: hash, at: now) }
            if let hit { return hit.value }
            remove(place, .expiry, into: &removed)
        } else if let (value, record) = weakIndex?.find(key), !record.isOver(at: now) {
            ledger.revive()
            hearUses()
            if let refused = admit(value, record, under: key, removing: &removed) {
                removed.append(refused)
            } else {
                weakIndex?.remove(key)
            }
            return value
        }
        ledger.miss()
        return nil
    }

    /// Puts a value under a key once the ledger has a place for it. The older value goes in any case.
    @inlinable
    mutating func insert(
        _ value: Value, _ record: EntryRecord, under key: Key, at now: Duration?,
        removing removed: inout RemovedValues<Value>
    ) {
        let own = shards.shard(of: record.candidate.hash)
        for shard in 0..<shards.count where shard != own { hearUses(of: shard) }
        weakIndex?.remove(key)
        // Which hears its shard's.
        if let older = removeEntry(of: key, hash: record.candidate.hash) { removed.append(older) }
        if let now { sweep(Self.sweepSteps, at: now, removing: &removed) }
        guard var refused = admit(value, record, under: key, removing: &removed) else { return }
        weakIndex?.add(key, &refused, record)
        removed.append(refused)
    }

    /// - Returns: the value, when it is refused.
    @inlinable
    mutating func admit(
        _ value: Value, _ record: EntryRecord, under key: Key, removing removed: inout RemovedValues<Value>
    ) -> Value? {
        let shard = shards.shard(of: record.candidate.hash)
        while true {
            switch ledger.admit(record.candidate, to: shard) {
            case .evict(let place, let cause): remove(place, cause, into: &removed)
            case .refused: return value
            case .admitted(let place):
                shards.withContents(of: shard) {
                    $0.put(key, value, at: index(place), hash: record.candidate.hash, record.times)
                }
                return nil
            }
        }
    }

    @inlinable
    mutating func removeValue(for key: Key, hash: UInt64) -> Value? {
        weakIndex?.remove(key)
        return removeEntry(of: key, hash: hash)
    }

    @inlinable
    mutating func removeEntry(of key: Key, hash: UInt64) -> Value? {
        let shard = shards.shard(of: hash)
        let taken = shards.withContents(of: shard) { contents -> (place: Int, value: Value)? in
            contents.ledger.tellUses(to: &ledger)
            guard let index = contents.index(of: key, hash: hash) else { return nil }
            return (index * shards.count + shard, contents.take(index).value)
        }
        guard let (place, value) = taken else { return nil }
        ledger.remove(place)
        return value
    }

    /// Forgets everything, what the policy has learned included, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll(removing removed: inout RemovedValues<Value>) {
        for shard in 0..<shards.count { removed.others += shards.withContents(of: shard) { $0.removeAll() } }
        ledger.removeAll()
        weakIndex?.removeAll()
    }

    /// Evicts until the rest costs `cost` and is `count` entries at most. The limits stay.
    @inlinable
    mutating func trim(toCost cost: Int, count: Int, cause: EvictionCause, removing removed: inout RemovedValues<Value>)
    {
        hearUses()
        evict(toCost: cost, count: count, cause, removing: &removed)
    }

    @inlinable
    mutating func setLimits(_ limits: CacheLimits, removing removed: inout RemovedValues<Value>) {
        hearUses()
        ledger.setLimits(limits)
        evict(toCost: limits.cost, count: .max, .cost, removing: &removed)
        evict(toCost: .max, count: limits.count, .count, removing: &removed)
    }

    @inlinable
    mutating func evict(
        toCost cost: Int, count: Int, _ cause: EvictionCause, removing removed: inout RemovedValues<Value>
    ) {
        while let place = ledger.excess(overCost: cost, count: count) { remove(place, cause, into: &removed) }
    }

    /// Removes what has expired among so many places, from where the last sweep ended.
    @inlinable
    mutating func sweep(_ steps: Int, at now: Duration, removing removed: inout RemovedValues<Value>) {
        for _ in 0..<steps {
            sweepHand = sweepHand + 1 < ledger.placeCount ? sweepHand + 1 : 0
            if times(sweepHand)?.isOver(at: now) == true { remove(sweepHand, .expiry, into: &removed) }
        }
    }

    /// All keys, also those of evicted values that could come back.
    @inlinable var keys: [Key] {
        (0..<shards.count).flatMap { shards.withContents(of: $0) { $0.entries.map { $0.key } } }
            + (weakIndex?.keys ?? [])
    }

    @inlinable
    mutating func statistics(at now: Duration?) -> CacheStatistics {
        hearUses()
        var statistics = ledger.statistics
        for shard in 0..<shards.count { statistics.hits += shards.withContents(of: shard) { $0.ledger.hits } }
        if let now, let times = ledger.coldest.flatMap({ times($0) }) { statistics.coldestAge = now - times.lastUse }
        return statistics
    }

    @inlinable
    mutating func remove(_ place: Int, _ cause: EvictionCause, into removed: inout RemovedValues<Value>) {
        var (key, value, record) = take(place)
        ledger.noteEviction(cause)
        if cause != .expiry { weakIndex?.add(key, &value, record) }
        removed.append(value)
    }

    /// Takes an entry out of its shard and out of the books. Hits on it until then are told first.
    @inlinable
    mutating func take(_ place: Int) -> (key: Key, value: Value, record: EntryRecord) {
        let candidate = ledger.candidate(at: place)
        let (entry, times) = shards.withContents(of: shards.shard(of: candidate.hash)) { shard in
            shard.ledger.tellUses(to: &ledger)
            let times = shard.times(of: index(place))
            return (shard.take(index(place)), times)
        }
        ledger.remove(place)
        return (entry.key, entry.value, EntryRecord(candidate: candidate, times: times))
    }

    @inlinable
    func times(_ place: Int) -> EntryTimes? {
        shards.withContents(of: place % shards.count) { $0.times(of: index(place)) }
    }

    @inlinable
    func place(of key: Key, hash: UInt64) -> Int? {
        let shard = shards.shard(of: hash)
        return shards.withContents(of: shard) { $0.index(of: key, hash: hash) }.map { $0 * shards.count + shard }
    }

    @inlinable
    func index(_ place: Int) -> Int { place / shards.count }
}
