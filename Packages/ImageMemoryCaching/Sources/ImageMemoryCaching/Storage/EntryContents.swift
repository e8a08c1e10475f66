/// What a cache holds: the entries, and how long they live. Not copyable, so that a hit copies nothing.
///
/// Moments are nil without a clock.
@usableFromInline
struct EntryContents<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline var table = EntryTable<Key, Value>()
    /// By place; empty without a clock.
    @usableFromInline var times: [EntryTimes] = []

    @usableFromInline
    init() {}

    /// Whether any entry has times.
    @usableFromInline var isTimed: Bool { !times.isEmpty }

    /// The value under a key, which counts as a use; nil also when its time is over as far as is known here.
    @inlinable
    func look(for key: Key, hash: UInt64, at now: Duration?, noting hits: inout HitLog) -> FoundValue<Value>? {
        guard let slot = table.slot(of: key, hash: hash) else { return nil }
        let place = table.index(at: slot)
        if let now, isOver(place, at: now) { return nil }
        let isTellingDue = hits.note(place, at: now)
        return FoundValue(value: table.value(at: slot), isTellingDue: isTellingDue)
    }

    @inlinable
    func place(of key: Key, hash: UInt64) -> Int? { table.slot(of: key, hash: hash).map { table.index(at: $0) } }

    /// When the entry at a place was used and expires; nil without a clock, or when there is none.
    @usableFromInline
    func times(of place: Int) -> EntryTimes? { table.holds(place) && isTimed ? times[place] : nil }

    /// Apart, because a cache without a clock does without.
    @inline(never)
    @usableFromInline
    func isOver(_ place: Int, at now: Duration) -> Bool { times(of: place)?.isOver(at: now) ?? false }

    @inlinable
    mutating func put(_ key: Key, _ value: Value, at place: Int, _ record: EntryRecord) {
        if let entryTimes = record.times { setTimes(entryTimes, of: place) }
        table.insert(key, value, at: place, hash: record.candidate.hash)
    }

    @usableFromInline
    mutating func setTimes(_ entryTimes: EntryTimes, of place: Int) { times.set(entryTimes, at: place) }

    /// Forgets everything, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll() -> [Value] {
        let removed = table.map { $0.value }
        table = EntryTable()
        times = []
        return removed
    }
}

/// What a look found.
@usableFromInline
struct FoundValue<Value: Sendable>: Sendable {
    @usableFromInline let value: Value
    /// Whether there are many hits that the cache's books do not know of.
    @usableFromInline let isTellingDue: Bool

    @inlinable
    init(value: Value, isTellingDue: Bool) {
        self.value = value
        self.isTellingDue = isTellingDue
    }
}

extension Hashable {
    /// The key's own hash, spread over all bits: a key that carries its hash is not hashed again.
    @inlinable
    var spreadHash: UInt64 {
        let product = UInt64(truncatingIfNeeded: hashValue).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
