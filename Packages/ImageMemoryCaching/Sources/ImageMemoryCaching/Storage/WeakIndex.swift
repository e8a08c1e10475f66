/// Finds values again that were evicted while others held them. It holds none of them, and remembers a bounded number.
@usableFromInline
struct WeakIndex<Key: Hashable, Value: Sendable> {
    @usableFromInline
    struct Retired {
        @usableFromInline let record: EntryRecord
        @usableFromInline let revive: @Sendable () -> Value?

        @inlinable
        init(record: EntryRecord, revive: @escaping @Sendable () -> Value?) {
            self.record = record
            self.revive = revive
        }
    }

    @usableFromInline let form: WeakForm<Value>
    @usableFromInline let limit: Int
    @usableFromInline var retired: [Key: (slot: Int, Retired)] = [:]
    /// A ring: what comes takes the slot of what has been here for longest.
    @usableFromInline var slots: [Key?] = []
    @usableFromInline var nextSlot = 0

    @inlinable
    init(form: WeakForm<Value>, limit: Int) {
        self.form = form
        self.limit = max(0, limit)
    }

    /// Remembers an evicted value if somebody else holds it.
    @inlinable
    mutating func add(_ key: Key, _ value: inout Value, _ record: EntryRecord) {
        guard limit > 0, let revive = form.weaken(&value) else { return }
        remove(key)
        if nextSlot == slots.count { slots.append(nil) }
        if let oldest = slots[nextSlot] { retired[oldest] = nil }
        slots[nextSlot] = key
        retired[key] = (nextSlot, Retired(record: record, revive: revive))
        nextSlot = (nextSlot + 1) % limit
    }

    @inlinable
    mutating func remove(_ key: Key) {
        guard !retired.isEmpty, let (slot, _) = retired.removeValue(forKey: key) else { return }
        slots[slot] = nil
    }

    @inlinable
    mutating func removeAll() { (retired, slots, nextSlot) = ([:], [], 0) }

    /// What was evicted under a key, if it is still alive.
    @inlinable
    func find(_ key: Key) -> (value: Value, record: EntryRecord)? {
        guard !retired.isEmpty, let (_, found) = retired[key], let value = found.revive() else { return nil }
        return (value, found.record)
    }

    @inlinable var keys: [Key] { Array(retired.keys) }
}
