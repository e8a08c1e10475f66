/// The entries of a `MemoryCache`, their costs, and their eviction order. The cache protects it with a lock.
///
/// Each entry has a slot: an index into `entries` and `values` that is reused after the entry is removed.
/// Without a clock, `now` is nil.
struct CacheStorage<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        var record: EntryRecord
    }

    /// The number of slots that each insertion checks for expired entries.
    private static var sweepCount: Int { 4 }

    private(set) var limits: CacheLimits
    private(set) var totalCost = 0
    private var slots: [Key: Int] = [:]
    private var entries: [Entry?] = []
    /// Separate from the entries, so that a hit copies only the value.
    private var values: [Value?] = []
    private var freeSlots: [Int] = []
    private let policy: EvictionPolicy
    private var order: any EvictionOrder
    private var weakIndex: WeakIndex<Key, Value>?
    private var sweepHand = 0
    private var statistics = CacheStatistics()
    private var removed: [Value] = []

    init(limits: CacheLimits, policy: EvictionPolicy, weakIndex: WeakIndex<Key, Value>?) {
        self.limits = limits
        self.policy = policy
        self.weakIndex = weakIndex
        order = policy.makeOrder()
        order.setLimits(limits)
        for cause in EvictionCause.allCases { statistics.evictions[cause] = 0 }
    }

    var count: Int { slots.count }

    /// The keys and last uses of all entries and of the evicted values that are in use.
    var lastUses: [(key: Key, lastUse: Duration?)] {
        entries.compactMap { entry in entry.map { ($0.key, $0.record.times?.lastUse) } } + (weakIndex?.lastUses ?? [])
    }

    /// Returns the values that were removed since the last call. Release them without the lock.
    mutating func takeRemoved() -> [Value] {
        guard !removed.isEmpty else { return [] }
        defer { removed = [] }
        return removed
    }

    mutating func value(for key: Key, at now: Duration?) -> Value? {
        guard let value = storedValue(for: key, at: now) ?? revivedValue(for: key, at: now) else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        return value
    }

    mutating func insert(_ value: Value, _ record: EntryRecord, for key: Key, at now: Duration?) {
        if let older = removeValue(for: key) { removed.append(older) }
        sweep(at: now)
        guard !admit(value, record, for: key) else { return }
        var refused = value
        weakIndex?.insert(&refused, record, for: key)
        removed.append(refused)
    }

    mutating func removeValue(for key: Key) -> Value? {
        weakIndex?.remove(key)
        return slots[key].flatMap { take($0)?.value }
    }

    mutating func removeAll() {
        removed += values.compactMap(\.self)
        weakIndex?.removeAll()
        (slots, entries, values, freeSlots, totalCost) = ([:], [], [], [], 0)
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    mutating func removeExpired(at now: Duration) {
        for slot in entries.indices { evictIfExpired(slot, at: now) }
    }

    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        order.setLimits(limits)
        evict(toCost: limits.cost, count: .max, .cost)
        evict(toCost: .max, count: limits.count, .count)
    }

    mutating func evict(toCost cost: Int, count: Int, _ cause: EvictionCause) {
        while totalCost > max(0, cost) || self.count > max(0, count),
            let slot = occupied(order.victim(for: nil)) ?? entries.firstIndex(where: { $0 != nil })
        {
            evict(slot, cause)
        }
    }

    func statistics(at now: Duration?) -> CacheStatistics {
        var statistics = statistics
        (statistics.totalCost, statistics.count) = (totalCost, count)
        if let now, let slot = occupied(order.coldest), let times = entries[slot]?.record.times {
            statistics.coldestAge = now - times.lastUse
        }
        return statistics
    }

    private mutating func storedValue(for key: Key, at now: Duration?) -> Value? {
        guard let slot = slots[key], !evictIfExpired(slot, at: now) else { return nil }
        order.use(slot)
        if let now { entries[slot]?.record.times?.use(at: now) }
        return values[slot]
    }

    /// Returns an evicted value that is still in use, and tries to insert it again.
    private mutating func revivedValue(for key: Key, at now: Duration?) -> Value? {
        guard let (value, record) = weakIndex?.find(key, at: now) else { return nil }
        statistics.revivals += 1
        if admit(value, record, for: key) { weakIndex?.remove(key) }
        return value
    }

    /// Inserts a value for a key that has no entry, and evicts others for it. Returns false if the value is refused.
    private mutating func admit(_ value: Value, _ record: EntryRecord, for key: Key) -> Bool {
        if let cause = refusal(of: record.candidate) {
            statistics.evictions[cause, default: 0] += 1
            return false
        }
        let slot = freeSlots.popLast() ?? entries.count
        entries.set(Entry(key: key, record: record), at: slot)
        values.set(value, at: slot)
        slots[key] = slot
        totalCost += record.candidate.cost
        order.insert(record.candidate, at: slot)
        return true
    }

    /// Evicts entries until `incoming` fits. Returns the cause if it is refused.
    private mutating func refusal(of incoming: EvictionCandidate) -> EvictionCause? {
        guard incoming.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return .entryLimit }
        while let cause = exceededLimit(adding: incoming.cost) {
            guard let slot = occupied(order.victim(for: incoming)) else { return .admission }
            evict(slot, cause)
        }
        return nil
    }

    private func exceededLimit(adding cost: Int) -> EvictionCause? {
        if totalCost > limits.cost - cost { return .cost }
        return count >= limits.count ? .count : nil
    }

    /// Checks the next few slots for expired entries.
    private mutating func sweep(at now: Duration?) {
        guard let now, !entries.isEmpty else { return }
        for _ in 0..<Self.sweepCount {
            sweepHand = (sweepHand + 1) % entries.count
            evictIfExpired(sweepHand, at: now)
        }
    }

    @discardableResult
    private mutating func evictIfExpired(_ slot: Int, at now: Duration?) -> Bool {
        guard let now, entries[slot]?.record.isExpired(at: now) == true else { return false }
        evict(slot, .expiry)
        return true
    }

    /// Returns the slot if it has an entry. An order of the application's own may choose any number.
    private func occupied(_ slot: Int?) -> Int? {
        slot.flatMap { entries.indices.contains($0) && entries[$0] != nil ? $0 : nil }
    }

    private mutating func evict(_ slot: Int, _ cause: EvictionCause) {
        guard case (let entry, var value)? = take(slot) else { return }
        statistics.evictions[cause, default: 0] += 1
        if cause != .expiry { weakIndex?.insert(&value, entry.record, for: entry.key) }
        removed.append(value)
    }

    /// Removes the entry at a slot and returns it.
    private mutating func take(_ slot: Int) -> (entry: Entry, value: Value)? {
        guard let entry = entries[slot].take(), let value = values[slot].take() else { return nil }
        slots[entry.key] = nil
        freeSlots.append(slot)
        totalCost -= entry.record.candidate.cost
        order.remove(slot)
        return (entry, value)
    }
}
