/// What a cache changes under the lock of its books: everything but hits. The ledger decides, this carries it out among the entries.
///
/// What is removed is handed to the caller, who decides where it is deallocated. Moments are nil without a clock.
@usableFromInline
struct CacheBooks<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    /// Each insertion looks at so many entries for expired ones.
    @inlinable static var sweepSteps: Int { 4 }

    @usableFromInline typealias Contents = EntryContents<Key, Value>

    @usableFromInline let entries: SharedEntries<Key, Value>
    @usableFromInline var ledger: CacheLedger
    @usableFromInline var weakIndex: WeakIndex<Key, Value>?
    /// Memory for the hits that are told; empty between changes.
    @usableFromInline var heard = HeardHits()
    /// The place where the search for expired entries goes on.
    @usableFromInline var sweepHand = 0

    @inlinable
    init(entries: SharedEntries<Key, Value>, ledger: consuming CacheLedger, weakIndex: WeakIndex<Key, Value>?) {
        self.entries = entries
        self.ledger = ledger
        self.weakIndex = weakIndex
    }

    /// Tells the ledger of all hits, and changes books and entries together while nobody looks.
    @inlinable
    mutating func change<Result: Sendable>(_ body: (inout Self, inout Contents) -> Result) -> Result {
        var hits = HeardHits()
        swap(&hits, &heard)
        let result = entries.change(hearing: &hits) { contents, hits in
            hits.tellUses(to: &ledger, keepingMoments: contents.isTimed)
            hits.tellMoments(to: &contents.times)
            return body(&self, &contents)
        }
        swap(&hits, &heard)
        return result
    }

    /// Tells the ledger of the calling thread's hits, while others look. When the entries were used is told with the next change.
    @inlinable
    mutating func hearUses() {
        entries.hear(into: &heard)
        heard.tellUses(to: &ledger, keepingMoments: entries.look { $0.isTimed })
        if heard.hasManyMoments { change { _, _ in } }
    }

    /// Whatever can be done when a look has found no value under a key: what has expired goes, and what was evicted and is still in
    /// use comes back.
    @inlinable
    mutating func miss(_ key: Key, hash: UInt64, at now: Duration?, removing removed: inout RemovedValues<Value>)
        -> Value?
    {
        change { books, contents in
            if let place = contents.place(of: key, hash: hash) {
                // It came in meanwhile, or has been used since by another thread.
                guard let now, contents.isOver(place, at: now) else { return books.use(place, of: &contents, at: now) }
                books.remove(place, .expiry, from: &contents, into: &removed)
            } else if let value = books.revive(key, at: now, in: &contents, removing: &removed) {
                return value
            }
            books.ledger.miss()
            return nil
        }
    }

    @inlinable
    mutating func use(_ place: Int, of contents: inout Contents, at now: Duration?) -> Value {
        ledger.use([place])
        if let now { contents.times[place].use(at: now) }
        return contents.table.value(of: place)
    }

    /// Puts back what was evicted and is in use by others.
    @inlinable
    mutating func revive(
        _ key: Key, at now: Duration?, in contents: inout Contents, removing removed: inout RemovedValues<Value>
    ) -> Value? {
        guard let (value, record) = weakIndex?.find(key), !record.isOver(at: now) else { return nil }
        ledger.revive()
        if let refused = admit(value, record, under: key, to: &contents, removing: &removed) {
            removed.append(refused)
        } else {
            weakIndex?.remove(key)
        }
        return value
    }

    /// Puts a value under a key once the ledger has a place for it. The older value goes in any case.
    @inlinable
    mutating func insert(
        _ value: Value, _ record: EntryRecord, under key: Key, at now: Duration?,
        removing removed: inout RemovedValues<Value>
    ) {
        expectInsertion(record.candidate, under: key)
        change { books, contents in
            if let older = books.removeValue(for: key, hash: record.candidate.hash, from: &contents) {
                removed.append(older)
            }
            if let now { books.sweep(Self.sweepSteps, of: &contents, at: now, removing: &removed) }
            guard var refused = books.admit(value, record, under: key, to: &contents, removing: &removed) else {
                return
            }
            books.weakIndex?.add(key, &refused, record)
            removed.append(refused)
        }
    }

    /// Fetches what an insertion will change, and of what the next ones will evict: among many entries, most of its time it would be
    /// waiting for memory otherwise.
    @inlinable
    func expectInsertion(_ candidate: EvictionCandidate, under key: Key) {
        entries.look { contents in
            contents.table.expectInsertion(of: key, hash: candidate.hash)
            ledger.foreseeVictims(for: candidate) { place, distance in contents.table.expectTaking(place, distance) }
        }
    }

    /// - Returns: the value, when it is refused.
    @inlinable
    mutating func admit(
        _ value: Value, _ record: EntryRecord, under key: Key, to contents: inout Contents,
        removing removed: inout RemovedValues<Value>
    ) -> Value? {
        while true {
            switch ledger.admit(record.candidate) {
            case .evict(let place, let cause): remove(place, cause, from: &contents, into: &removed)
            case .refused: return value
            case .admitted(let place):
                contents.put(key, value, at: place, record)
                return nil
            }
        }
    }

    @inlinable
    mutating func removeValue(for key: Key, hash: UInt64) -> Value? {
        change { $0.removeValue(for: key, hash: hash, from: &$1) }
    }

    @inlinable
    mutating func removeValue(for key: Key, hash: UInt64, from contents: inout Contents) -> Value? {
        weakIndex?.remove(key)
        guard let place = contents.place(of: key, hash: hash) else { return nil }
        ledger.remove(place)
        return contents.table.take(place).value
    }

    /// Forgets everything, what the policy has learned included, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll(removing removed: inout RemovedValues<Value>) {
        change { books, contents in
            removed.others += contents.removeAll()
            books.ledger.removeAll()
            books.weakIndex?.removeAll()
        }
    }

    @inlinable
    mutating func setLimits(_ limits: CacheLimits, removing removed: inout RemovedValues<Value>) {
        change { books, _ in books.ledger.setLimits(limits) }
        evict(toCost: limits.cost, count: .max, .cost, removing: &removed)
        evict(toCost: .max, count: limits.count, .count, removing: &removed)
    }

    /// Evicts until the rest costs `cost` and is `count` entries at most; looks come between. The limits stay.
    @inlinable
    mutating func evict(
        toCost cost: Int, count: Int, _ cause: EvictionCause, removing removed: inout RemovedValues<Value>
    ) {
        while change({ books, contents in
            guard let place = books.ledger.excess(overCost: cost, count: count) else { return false }
            books.remove(place, cause, from: &contents, into: &removed)
            return true
        }) {}
    }

    /// Removes all that has expired; looks come between.
    @inlinable
    mutating func removeExpired(at now: Duration, removing removed: inout RemovedValues<Value>) {
        for _ in 0..<ledger.placeCount { change { $0.sweep(1, of: &$1, at: now, removing: &removed) } }
    }

    /// Removes what has expired among so many places, from where the last sweep ended.
    @inlinable
    mutating func sweep(
        _ steps: Int, of contents: inout Contents, at now: Duration, removing removed: inout RemovedValues<Value>
    ) {
        for _ in 0..<steps {
            sweepHand = sweepHand + 1 < ledger.placeCount ? sweepHand + 1 : 0
            if contents.isOver(sweepHand, at: now) { remove(sweepHand, .expiry, from: &contents, into: &removed) }
        }
    }

    /// All keys, also those of evicted values that could come back.
    @inlinable
    mutating func keys() -> [Key] {
        change { books, contents in contents.table.map { $0.key } + (books.weakIndex?.keys ?? []) }
    }

    @inlinable
    mutating func statistics(at now: Duration?) -> CacheStatistics {
        change { books, contents in
            var statistics = books.ledger.statistics
            if let now, let times = books.ledger.coldest.flatMap({ contents.times(of: $0) }) {
                statistics.coldestAge = now - times.lastUse
            }
            return statistics
        }
    }

    /// Takes an entry out of the cache.
    @inlinable
    mutating func remove(
        _ place: Int, _ cause: EvictionCause, from contents: inout Contents,
        into removed: inout RemovedValues<Value>
    ) {
        let record = EntryRecord(candidate: ledger.candidate(at: place), times: contents.times(of: place))
        var (key, value) = contents.table.take(place)
        ledger.remove(place)
        ledger.noteEviction(cause)
        if cause != .expiry { weakIndex?.add(key, &value, record) }
        removed.append(value)
    }
}
