public import Synchronization

/// Entries of a cache whose hashes end alike, behind a lock of their own: what a hit needs, and nothing else.
@usableFromInline
final class CacheShard<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let contents: Mutex<ShardContents<Key, Value>>

    @inlinable
    init(_ contents: consuming sending ShardContents<Key, Value>) { self.contents = Mutex(contents) }
}

/// The state of a shard, without the lock. Not copyable, so that a hit copies nothing. Moments are nil without a clock.
@usableFromInline
struct ShardContents<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    /// What a look found.
    @usableFromInline
    struct Hit {
        @usableFromInline let value: Value
        /// Whether the shard has many hits that the cache's books do not know of.
        @usableFromInline let isTellingDue: Bool

        @inlinable
        init(value: Value, isTellingDue: Bool) {
            self.value = value
            self.isTellingDue = isTellingDue
        }
    }

    @usableFromInline var ledger: ShardLedger
    @usableFromInline var entries = EntryBuffer<Key, Value>()

    @inlinable
    init(ledger: consuming ShardLedger) { self.ledger = ledger }

    /// The value under a key, which counts as a use; nil also when its time is over.
    @inlinable
    mutating func value(for key: Key, hash: UInt64, at now: Duration?) -> Hit? {
        guard let index = index(of: key, hash: hash) else { return nil }
        let use = ledger.use(index, at: now)
        return use == .isTooLate
            ? nil : Hit(value: entries.value(at: index), isTellingDue: use == .isNotedAndTellingDue)
    }

    @inlinable
    mutating func put(
        _ entry: consuming EntryBuffer<Key, Value>.Entry, at index: Int, hash: UInt64, _ times: EntryTimes?
    ) {
        ledger.insert(index, hash: hash, times: times)
        entries.put(entry, at: index)
    }

    @inlinable
    mutating func take(_ index: Int, hash: UInt64) -> (key: Key, value: Value) {
        ledger.remove(index, hash: hash)
        return entries.take(index)
    }

    /// When the entry was used and expires; nil without a clock, or when there is none.
    @inlinable
    func times(of index: Int) -> EntryTimes? { entries.holds(index) ? ledger.times(of: index) : nil }

    /// Forgets everything, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll() -> [Value] {
        let removed = entries.map { $0.value }
        ledger.removeAll()
        entries = EntryBuffer()
        return removed
    }

    @inlinable
    func index(of key: Key, hash: UInt64) -> Int? {
        ledger.table.find(hash) { entries.isKey(key, at: $0) }
    }

    /// The key's own hash, spread over all bits: a key that carries its hash is not hashed again.
    @inlinable
    static func hash(_ key: Key) -> UInt64 {
        let product = UInt64(truncatingIfNeeded: key.hashValue).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
