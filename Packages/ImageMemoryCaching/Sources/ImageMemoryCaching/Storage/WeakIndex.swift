/// Weak references to evicted values, limited in number, to find them while others retain them.
struct WeakIndex<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Reference {
        let position: Int
        let record: EntryRecord
        let value: @Sendable () -> Value?
    }

    private let factory: WeakReferenceFactory<Value>
    private let limit: Int
    private var references: [Key: Reference] = [:]
    /// A ring of keys, in which a new key replaces the oldest one.
    private var ring: [Key?] = []
    private var nextPosition = 0

    init(factory: WeakReferenceFactory<Value>, limit: Int) {
        self.factory = factory
        self.limit = max(0, limit)
    }

    var lastUses: [(key: Key, lastUse: Duration?)] { references.map { ($0.key, $0.value.record.times?.lastUse) } }

    /// Adds a value if others retain it.
    mutating func insert(_ value: inout Value, _ record: EntryRecord, for key: Key) {
        guard limit > 0, let weakValue = factory.make(&value) else { return }
        remove(key)
        if nextPosition == ring.count { ring.append(nil) }
        if let oldest = ring[nextPosition] { references[oldest] = nil }
        ring[nextPosition] = key
        references[key] = Reference(position: nextPosition, record: record, value: weakValue)
        nextPosition = (nextPosition + 1) % limit
    }

    mutating func remove(_ key: Key) {
        guard let reference = references.removeValue(forKey: key) else { return }
        ring[reference.position] = nil
    }

    mutating func removeAll() { (references, ring, nextPosition) = ([:], [], 0) }

    /// Returns the value for a key if it is still in use and has not expired.
    func find(_ key: Key, at now: Duration?) -> (value: Value, record: EntryRecord)? {
        guard let reference = references[key], !reference.record.isExpired(at: now) else { return nil }
        return reference.value().map { ($0, reference.record) }
    }
}
