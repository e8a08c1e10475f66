/// Values under keys within limits: the state of a cache, a pure value without a lock.
///
/// A table finds the place of a key, an array keeps the entries by place, and an `EvictionOrder` says which one goes. What is
/// removed is handed to the caller, who decides where it is deallocated.
struct CacheStorage<Key: Hashable, Value> {
    private struct Entry {
        var key: Key
        var value: Value
        var hash: UInt64
        var cost: Int
    }

    private var table = PlaceTable()
    private var entries: [Entry?] = []
    private var freePlaces: [Int] = []
    private let policy: EvictionPolicy
    private var order: any EvictionOrder
    /// The sum of the costs of all entries. Never above `limits.cost`.
    private(set) var totalCost = 0
    private(set) var limits: CacheLimits

    init(limits: CacheLimits, policy: EvictionPolicy) {
        self.limits = limits
        self.policy = policy
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    /// How many entries there are. Never above `limits.count`.
    var count: Int { table.count }

    var keys: [Key] { entries.compactMap { $0?.key } }

    /// The value under a key, which counts as a use.
    mutating func value(for key: Key) -> Value? {
        guard let place = place(of: key, hash: Self.hash(key)) else { return nil }
        order.use(place)
        return entries[place]?.value
    }

    /// Puts a value under a key, once the order has made room for it.
    ///
    /// What is above a limit alone is refused and evicts nothing, but the older value under its key goes: it is out of date.
    /// - Parameter cost: not negative.
    /// - Returns: the values that are no longer kept.
    mutating func insert(_ value: Value, cost: Int, refetch: RefetchCost, for key: Key) -> [Value] {
        precondition(cost >= 0, "a cost is not negative: \(cost)")
        let hash = Self.hash(key)
        var removed: [Value] = []
        if let older = place(of: key, hash: hash) { removed.append(remove(at: older)) }
        let candidate = EvictionCandidate(hash: hash, cost: cost, refetch: refetch)
        guard makeRoom(for: candidate, removing: &removed) else { return removed }
        add(Entry(key: key, value: value, hash: hash, cost: cost), candidate)
        return removed
    }

    mutating func removeValue(for key: Key) -> Value? {
        place(of: key, hash: Self.hash(key)).map { remove(at: $0) }
    }

    /// Forgets everything, what the policy knows included, and gives the memory of the bookkeeping back.
    mutating func removeAll() -> [Value] {
        let removed = entries.compactMap { $0?.value }
        self = CacheStorage(limits: limits, policy: policy)
        return removed
    }

    /// Sets the limits and evicts at once what no longer fits.
    mutating func setLimits(_ limits: CacheLimits) -> [Value] {
        self.limits = limits
        order.setLimits(limits)
        return trim(toCost: limits.cost, count: limits.count)
    }

    /// Evicts until the rest costs `cost` and is `count` entries at most. The limits stay.
    mutating func trim(toCost cost: Int, count: Int) -> [Value] {
        var removed: [Value] = []
        while totalCost > max(0, cost) || self.count > max(0, count), let place = order.victim(for: nil) {
            removed.append(remove(at: place))
        }
        return removed
    }

    private mutating func makeRoom(for candidate: EvictionCandidate, removing removed: inout [Value]) -> Bool {
        guard candidate.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return false }
        while totalCost > limits.cost - candidate.cost || count >= limits.count {
            guard let place = order.victim(for: candidate) else { return false }
            removed.append(remove(at: place))
        }
        return true
    }

    private mutating func add(_ entry: Entry, _ candidate: EvictionCandidate) {
        let place = freePlaces.popLast() ?? entries.count
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        table.insert(entry.hash, place: place)
        totalCost += entry.cost
        order.insert(candidate, at: place)
    }

    private mutating func remove(at place: Int) -> Value {
        guard let entry = entries[place] else { preconditionFailure("an eviction order chose a place that is free") }
        entries[place] = nil
        freePlaces.append(place)
        table.remove(entry.hash, place: place)
        totalCost -= entry.cost
        order.remove(place)
        return entry.value
    }

    private func place(of key: Key, hash: UInt64) -> Int? {
        table.find(hash) { entries[$0]?.key == key }
    }

    /// The key's own hash, spread over all bits: a key that carries its hash is not hashed again.
    private static func hash(_ key: Key) -> UInt64 {
        let product = UInt64(bitPattern: Int64(key.hashValue)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
