/// Values under keys within limits: the state of a cache, without a lock. The ledger decides, this carries it out.
///
/// What is removed is handed to the caller, who decides where it is deallocated. Not copyable, so that a hit copies nothing.
@usableFromInline
struct CacheStorage<Key: Hashable, Value>: ~Copyable {
    @usableFromInline var ledger: CacheLedger
    @usableFromInline var entries = EntryBuffer<Key, Value>()

    @inlinable
    init(ledger: consuming CacheLedger) { self.ledger = ledger }

    @inlinable var keys: [Key] { entries.map { $0.key } }

    /// The value under a key, which counts as a use.
    @inlinable
    mutating func value(for key: Key) -> Value? {
        guard let place = place(of: key, hash: Self.hash(key)) else { return nil }
        ledger.use(place)
        return entries.value(at: place)
    }

    /// Puts a value under a key once the ledger has a place for it. The older value goes in any case.
    /// - Returns: the values that are no longer kept.
    @inlinable
    mutating func insert(_ value: Value, cost: Int, refetch: RefetchCost, for key: Key) -> [Value] {
        let candidate = EvictionCandidate(hash: Self.hash(key), cost: cost, refetch: refetch)
        var removed: [Value] = []
        if let older = place(of: key, hash: candidate.hash) {
            ledger.remove(older)
            removed.append(entries.take(older))
        }
        while true {
            switch ledger.admit(candidate) {
            case .evict(let place): removed.append(entries.take(place))
            case .refused: return removed
            case .admitted(let place):
                entries.put(.init(key: key, value: value), at: place)
                return removed
            }
        }
    }

    @inlinable
    mutating func removeValue(for key: Key) -> Value? {
        guard let place = place(of: key, hash: Self.hash(key)) else { return nil }
        ledger.remove(place)
        return entries.take(place)
    }

    /// Forgets everything, what the policy has learned included, and gives the memory of the bookkeeping back.
    @inlinable
    mutating func removeAll() -> [Value] {
        let removed = entries.map { $0.value }
        ledger.removeAll()
        entries = EntryBuffer()
        return removed
    }

    /// Evicts until the rest costs `cost` and is `count` entries at most. The limits stay.
    @inlinable
    mutating func trim(toCost cost: Int, count: Int) -> [Value] {
        var removed: [Value] = []
        while let place = ledger.trim(toCost: cost, count: count) { removed.append(entries.take(place)) }
        return removed
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
