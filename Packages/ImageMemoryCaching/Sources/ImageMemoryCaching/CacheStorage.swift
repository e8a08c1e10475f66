/// The properties of an entry other than its key and value. Without a clock, both times are nil.
struct EntryRecord: Sendable {
    let candidate: EvictionCandidate
    private(set) var lastUse: Duration?
    let expiry: Duration?

    func isExpired(at now: Duration?) -> Bool {
        guard let now, let expiry else { return false }
        return expiry <= now
    }

    /// Threads read the clock without the lock, so `now` can be earlier than the last use.
    mutating func use(at now: Duration?) {
        if let now, let lastUse, now > lastUse { self.lastUse = now }
    }
}

/// The entries of a `MemoryCache`, each at a slot that is reused after its removal. Without a clock, `now` is nil.
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
    private var removed: [Value] = []

    init(limits: CacheLimits, policy: EvictionPolicy, weakIndex: WeakIndex<Key, Value>?) {
        self.limits = limits
        self.policy = policy
        self.weakIndex = weakIndex
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    var count: Int { slots.count }

    /// The keys and last uses of all entries and of the evicted values that are in use.
    var lastUses: [(key: Key, lastUse: Duration?)] {
        entries.compactMap { entry in entry.map { ($0.key, $0.record.lastUse) } } + (weakIndex?.lastUses ?? [])
    }

    /// Returns the values that were removed since the last call. Release them without the lock.
    mutating func takeRemoved() -> [Value] {
        guard !removed.isEmpty else { return [] }
        defer { removed = [] }
        return removed
    }

    mutating func value(for key: Key, at now: Duration?) -> Value? {
        guard let slot = slots[key], !evictIfExpired(slot, at: now) else { return revivedValue(for: key, at: now) }
        order.use(slot)
        entries[slot]?.record.use(at: now)
        return values[slot]
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
        slots = [:]
        entries = []
        values = []
        freeSlots = []
        totalCost = 0
        order = policy.makeOrder()
        order.setLimits(limits)
    }

    mutating func setLimits(_ limits: CacheLimits) {
        self.limits = limits
        order.setLimits(limits)
        trim(toCost: limits.cost, count: limits.count)
    }

    mutating func trim(toCost cost: Int, count: Int) {
        while totalCost > max(0, cost) || self.count > max(0, count),
            let slot = victim(for: nil) ?? entries.firstIndex(where: { $0 != nil })
        {
            evict(slot)
        }
    }

    /// Returns an evicted value that is still in use, and tries to insert it again.
    private mutating func revivedValue(for key: Key, at now: Duration?) -> Value? {
        guard let (value, record) = weakIndex?.find(key, at: now) else { return nil }
        if admit(value, record, for: key) { weakIndex?.remove(key) }
        return value
    }

    /// Inserts a value for a key that has no entry, and evicts others for it. Returns false if the value is refused.
    private mutating func admit(_ value: Value, _ record: EntryRecord, for key: Key) -> Bool {
        guard makeSpace(for: record.candidate) else { return false }
        let slot = freeSlots.popLast() ?? entries.count
        entries.set(Entry(key: key, record: record), at: slot)
        values.set(value, at: slot)
        slots[key] = slot
        totalCost += record.candidate.cost
        order.insert(record.candidate, at: slot)
        return true
    }

    /// Evicts entries until `incoming` fits. Returns false if it is refused.
    private mutating func makeSpace(for incoming: EvictionCandidate) -> Bool {
        guard incoming.cost <= min(limits.cost, limits.entryCost), limits.count > 0 else { return false }
        while totalCost > limits.cost - incoming.cost || count >= limits.count {
            guard let slot = victim(for: incoming) else { return false }
            evict(slot)
        }
        return true
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
        guard let now, entries[slot]?.record.isExpired(at: now) == true, let value = take(slot)?.value else {
            return false
        }
        removed.append(value)
        return true
    }

    /// Returns the slot to evict, if it has an entry. An order of the application's own may choose any number.
    private mutating func victim(for incoming: EvictionCandidate?) -> Int? {
        // In one expression with `entries`, this would copy the arrays of the order.
        let slot = order.victim(for: incoming)
        return slot.flatMap { entries.indices.contains($0) && entries[$0] != nil ? $0 : nil }
    }

    private mutating func evict(_ slot: Int) {
        guard case (let entry, var value)? = take(slot) else { return }
        weakIndex?.insert(&value, entry.record, for: entry.key)
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

/// Weak references to evicted values, to find them while others retain them.
struct WeakIndex<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Returns a closure that returns the value while others retain it. Returns nil if nothing else retains it.
    typealias MakeReference = @Sendable (inout Value) -> (@Sendable () -> Value?)?

    private struct Reference {
        var record: EntryRecord
        let value: @Sendable () -> Value?
    }

    private let makeReference: MakeReference
    private var references: [Key: Reference] = [:]
    /// The number of references at which those to released values are removed.
    private var purgeCount = 64

    init(_ makeReference: @escaping MakeReference) { self.makeReference = makeReference }

    var lastUses: [(key: Key, lastUse: Duration?)] { references.map { ($0.key, $0.value.record.lastUse) } }

    /// Adds a value if others retain it.
    mutating func insert(_ value: inout Value, _ record: EntryRecord, for key: Key) {
        guard let value = makeReference(&value) else { return }
        if references.count >= purgeCount {
            references = references.filter { $0.value.value() != nil }
            purgeCount = max(64, 2 * references.count)
        }
        references[key] = Reference(record: record, value: value)
    }

    mutating func remove(_ key: Key) { references[key] = nil }

    mutating func removeAll() { references = [:] }

    /// Returns the value for a key if it is still in use and has not expired. This is a use.
    mutating func find(_ key: Key, at now: Duration?) -> (value: Value, record: EntryRecord)? {
        guard var reference = references[key], !reference.record.isExpired(at: now), let value = reference.value()
        else { return nil }
        reference.record.use(at: now)
        references[key] = reference
        return (value, reference.record)
    }
}
