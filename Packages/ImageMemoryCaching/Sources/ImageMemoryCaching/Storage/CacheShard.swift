public import Synchronization

/// Entries of a cache whose hashes end alike, behind a lock of their own: what a hit needs, and nothing else.
@usableFromInline
final class CacheShard<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let contents: Mutex<ShardContents<Key, Value>>

    @inlinable
    init(_ contents: consuming sending ShardContents<Key, Value>) { self.contents = Mutex(contents) }
}

/// All shards of a cache: entries are told theirs by the last bits of their hashes.
@usableFromInline
struct CacheShards<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let all: [CacheShard<Key, Value>]
    /// The first of them, the only one as a rule: what an array holds is retained for each look, what a constant holds is not.
    @usableFromInline let first: CacheShard<Key, Value>

    /// - Parameter count: a power of two.
    @inlinable
    init(count: Int) {
        all = (0..<count).map { CacheShard(ShardContents(ledger: ShardLedger(shard: $0, of: count))) }
        first = all[0]
    }

    @inlinable var count: Int { all.count }

    @inlinable
    func shard(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (all.count - 1) }

    @inlinable
    func withContents<Result: Sendable>(
        of shard: Int, _ body: (inout ShardContents<Key, Value>) -> Result
    ) -> Result {
        shard == 0 ? first.contents.withLock { body(&$0) } : all[shard].contents.withLock { body(&$0) }
    }
}

/// The state of a shard, without the lock. Not copyable, so that a hit copies nothing. Moments are nil without a clock.
@usableFromInline
struct ShardContents<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    /// What a look found.
    @usableFromInline
    struct Hit: Sendable {
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
    @usableFromInline var entries = EntryTable<Key, Value>()

    @inlinable
    init(ledger: consuming ShardLedger) { self.ledger = ledger }

    /// The value under a key, which counts as a use; nil also when its time is over.
    @inlinable
    mutating func value(for key: Key, hash: UInt64, at now: Duration?) -> Hit? {
        guard let slot = entries.slot(of: key, hash: hash) else { return nil }
        let use = ledger.use(entries.index(at: slot), at: now)
        return use == .isTooLate
            ? nil : Hit(value: entries.value(at: slot), isTellingDue: use == .isNotedAndTellingDue)
    }

    @inlinable
    mutating func put(_ key: Key, _ value: Value, at index: Int, hash: UInt64, _ times: EntryTimes?) {
        ledger.insert(index, times)
        entries.insert(key, value, at: index, hash: hash)
    }

    @inlinable
    mutating func take(_ index: Int) -> (key: Key, value: Value) { entries.take(index) }

    /// When the entry was used and expires; nil without a clock, or when there is none.
    @inlinable
    func times(of index: Int) -> EntryTimes? { entries.holds(index) ? ledger.times(of: index) : nil }

    /// Forgets everything, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll() -> [Value] {
        let removed = entries.map { $0.value }
        ledger.removeAll()
        entries = EntryTable()
        return removed
    }

    @inlinable
    func index(of key: Key, hash: UInt64) -> Int? {
        entries.slot(of: key, hash: hash).map { entries.index(at: $0) }
    }

    /// The key's own hash, spread over all bits: a key that carries its hash is not hashed again.
    @inlinable
    static func hash(_ key: Key) -> UInt64 {
        let product = UInt64(truncatingIfNeeded: key.hashValue).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
