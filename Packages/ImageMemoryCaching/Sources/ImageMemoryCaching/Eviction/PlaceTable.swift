/// Finds places by hash: open addressing with linear probing in one array, at most half full.
///
/// It holds neither keys nor whole hashes; whoever asks compares what is at a place. A removal moves later places of the same
/// run back, so that nothing is left behind that would slow the next search.
struct PlaceTable: Sendable {
    /// 0 when empty, else the upper half of the hash above the place plus one.
    private var slots: [UInt64] = []
    private var mask = 0
    /// How many places are found here.
    private(set) var count = 0

    /// The place with that hash that is the right one.
    func find(_ hash: UInt64, _ isRight: (Int) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        var index = home(hash)
        while slots[index] != 0 {
            let slot = slots[index]
            if slot >> 32 == hash >> 32 {
                let place = place(slot)
                if isRight(place) { return place }
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Adds a place that is not here yet.
    mutating func insert(_ hash: UInt64, place: Int) {
        if (count + 1) * 2 > slots.count { grow() }
        add(hash & ~0xFFFF_FFFF | UInt64(place + 1))
        count += 1
    }

    /// Removes a place that is here under that hash.
    mutating func remove(_ hash: UInt64, place: Int) {
        let slot = hash & ~0xFFFF_FFFF | UInt64(place + 1)
        var index = home(hash)
        while slots[index] != slot { index = (index + 1) & mask }
        close(index)
        count -= 1
    }

    /// Says that a hash will be looked for soon.
    func expect(_ hash: UInt64) { slots.prefetch(home(hash)) }

    /// Empties a slot and moves back what would not be found any more across the hole.
    private mutating func close(_ index: Int) {
        var hole = index
        var next = (hole + 1) & mask
        while slots[next] != 0 {
            if (next &- home(slots[next])) & mask >= (next &- hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = 0
    }

    private mutating func grow() {
        let older = slots
        slots = [UInt64](repeating: 0, count: max(16, older.count * 2))
        mask = slots.count - 1
        for slot in older where slot != 0 { add(slot) }
    }

    private mutating func add(_ slot: UInt64) {
        var index = home(slot)
        while slots[index] != 0 { index = (index + 1) & mask }
        slots[index] = slot
    }

    /// Where the search for a hash begins, or for what is in a slot: both have the same upper half.
    func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & mask }

    func place(_ slot: UInt64) -> Int { Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1 }
}
