/// Finds places by the names of the records there: an open hash table with linear probing, at most three quarters full.
///
/// It holds no names. Whoever asks brings the records, by place, as they were when the places were put in.
struct NameTable: Sendable {
    private struct Slot {
        static let empty = Slot(place: -1, tag: 0)

        /// -1 when the slot is empty.
        var place: Int32
        /// Bits of the name's hash, so that a look at another name's slot is not one at its record, which is far away.
        var tag: UInt32

        var isEmpty: Bool { place < 0 }
    }

    private var slots: [Slot]
    private var count = 0

    /// - Parameter capacity: for how many places there is room without growing.
    init(capacity: Int) {
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        slots = Array(repeating: .empty, count: size)
    }

    func place(of name: EntryName, among records: [EntryIndex.Record]) -> Int? {
        slot(of: name, records).map { Int(slots[$0].place) }
    }

    /// Puts in the place of a record whose name is not here.
    mutating func insert(_ place: Int, among records: [EntryIndex.Record]) {
        if (count + 1) * 4 > slots.count * 3 { enlarge(records) }
        enter(Int32(place), records)
        count += 1
    }

    /// The record of a place has got another one.
    mutating func move(_ old: Int, to place: Int, among records: [EntryIndex.Record]) {
        if let slot = slot(of: records[old].name, records) { slots[slot].place = Int32(place) }
    }

    /// Takes a name out. Returns the place that it had.
    mutating func remove(_ name: EntryName, among records: [EntryIndex.Record]) -> Int? {
        guard let slot = slot(of: name, records) else { return nil }
        let place = Int(slots[slot].place)
        vacate(slot, records)
        count -= 1
        return place
    }

    private func home(of name: EntryName) -> Int { Int(truncatingIfNeeded: name.hash) & (slots.count - 1) }

    private func tag(of name: EntryName) -> UInt32 { UInt32(truncatingIfNeeded: name.hash >> 32) }

    private func slot(of name: EntryName, _ records: [EntryIndex.Record]) -> Int? {
        let tag = tag(of: name)
        var slot = home(of: name)
        while !slots[slot].isEmpty {
            if slots[slot].tag == tag, records[Int(slots[slot].place)].name == name { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func enter(_ place: Int32, _ records: [EntryIndex.Record]) {
        let name = records[Int(place)].name
        var slot = home(of: name)
        while !slots[slot].isEmpty { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Slot(place: place, tag: tag(of: name))
    }

    /// Empties a slot, and moves back what lies behind it only because the slot was taken.
    private mutating func vacate(_ slot: Int, _ records: [EntryIndex.Record]) {
        var hole = slot
        var next = (hole + 1) & (slots.count - 1)
        while !slots[next].isEmpty {
            let distance = (next - home(of: records[Int(slots[next].place)].name)) & (slots.count - 1)
            if distance >= (next - hole) & (slots.count - 1) {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & (slots.count - 1)
        }
        slots[hole] = .empty
    }

    private mutating func enlarge(_ records: [EntryIndex.Record]) {
        let older = slots.filter { !$0.isEmpty }
        slots = Array(repeating: .empty, count: slots.count * 2)
        for slot in older { enter(slot.place, records) }
    }
}
