import ImageCore

/// Evicts the entry with the lowest priority: its uses times its worth per unit of cost, plus an age.
///
/// The age is the priority of the last evicted or refused entry, so the rank of unused entries falls.
/// Cherkasova, "Improving WWW proxies performance with greedy-dual-size-frequency caching policy", HP Labs 1998.
///
/// For O(1) operations, values are rounded down to 256 classes. The list of a class is always sorted, so the victim is
/// the oldest entry of one of the lists: Ghandeharizadeh et al., "CAMP", Middleware 2014.
struct GDSFOrder: EvictionOrder {
    private struct Entry {
        /// The value of one use.
        let worth: Double
        var uses = 1.0
        var priority = 0.0
    }

    private let preferredWeight: Double
    private var lists = SlotQueues(count: ValueClass.count)
    private var entries: [Entry] = []
    private var age = 0.0
    /// The hash of the incoming entry, and the age before the evictions for it.
    private var incoming: (hash: UInt64, age: Double)?

    init(preferredWeight: Double) { self.preferredWeight = preferredWeight }

    mutating func setLimits(_ limits: CacheLimits) {}

    mutating func insert(_ entry: EvictionCandidate, at slot: Int) {
        let age = ageBeforeEvictions(for: entry)
        incoming = nil
        entries.set(Entry(worth: worth(of: entry)), at: slot)
        lists.append(slot, to: updatePriority(of: slot, age: age))
    }

    mutating func use(_ slot: Int) {
        entries[slot].uses += 1
        lists.move(slot, to: updatePriority(of: slot, age: age))
    }

    mutating func remove(_ slot: Int) { lists.remove(slot) }

    mutating func victim(for candidate: EvictionCandidate?) -> Int? {
        guard let slot = lowestSlot else { return nil }
        let lowest = entries[slot].priority
        if let candidate, refuses(candidate, lowest: lowest) { return nil }
        age = max(age, lowest)
        return slot
    }

    private var lowestSlot: Int? {
        let oldest = (0..<ValueClass.count).lazy.compactMap { lists.oldest(in: $0) }
        return oldest.min { entries[$0].priority < entries[$1].priority }
    }

    /// Refuses a candidate that would be evicted first. This increases the age, so that repeated insertions succeed.
    private mutating func refuses(_ candidate: EvictionCandidate, lowest: Double) -> Bool {
        let ageBefore = ageBeforeEvictions(for: candidate)
        let priority = ageBefore + ValueClass(worth(of: candidate)).lowerBound
        guard priority < lowest else {
            incoming = (candidate.hash, ageBefore)
            return false
        }
        incoming = nil
        age = max(age, priority)
        return true
    }

    private func ageBeforeEvictions(for candidate: EvictionCandidate) -> Double {
        guard let incoming, incoming.hash == candidate.hash else { return age }
        return incoming.age
    }

    private func worth(of candidate: EvictionCandidate) -> Double {
        (candidate.retention == .preferred ? preferredWeight : 1) / Double(max(1, candidate.cost))
    }

    /// Updates the priority of an entry and returns its list.
    private mutating func updatePriority(of slot: Int, age: Double) -> Int {
        let value = ValueClass(entries[slot].uses * entries[slot].worth)
        entries[slot].priority = age + value.lowerBound
        return value.index
    }
}

/// A value between 2^-44 and 2^20, rounded down to a quarter of a power of two.
private struct ValueClass {
    static let count = 256
    /// The exponent and the upper two bits of the mantissa of 2^-44.
    private static let first = (1023 - 44) * 4

    let index: Int

    init(_ value: Double) {
        let bits = Int(truncatingIfNeeded: value.bitPattern >> 50)
        index = min(max(bits - Self.first, 0), Self.count - 1)
    }

    /// The lowest value of the class.
    var lowerBound: Double { Double(bitPattern: UInt64(index + Self.first) << 50) }
}
