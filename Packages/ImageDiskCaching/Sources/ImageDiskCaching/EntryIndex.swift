/// What the folder holds, by the cache's best knowledge: each entry's size and last use, and the room promised to writers.
///
/// A pure value. About 80 bytes an entry: 48 in an array of nodes, the policy's 8, and 8 for each slot of an open hash table
/// with linear probing, which is kept between three eighths and three quarters full.
package struct EntryIndex: Sendable {
    /// One entry's file.
    package struct Record: Hashable, Sendable {
        package var name: EntryName
        package var byteCount: Int
        /// When it was used last, in nanoseconds since 1970.
        package var stamp: Int64

        package init(name: EntryName, byteCount: Int, stamp: Int64) {
            self.name = name
            self.byteCount = byteCount
            self.stamp = stamp
        }
    }

    /// Room that a writer was promised for a file that is not in place yet.
    package struct Reservation: Hashable, Sendable {
        package var name: EntryName
        package var byteCount: Int
    }

    /// A slot of the table.
    private struct Slot {
        static let empty = Slot(place: -1, tag: 0)

        /// The place in `nodes`; -1 when the slot is empty.
        var place: Int32
        /// Bits of the name's hash, so that a look at another name's slot is not one at its node, which is far away.
        var tag: UInt32

        var isEmpty: Bool { place < 0 }
    }

    private var nodes: [Record] = []
    /// Places in `nodes` that nothing occupies.
    private var freePlaces: [Int32] = []
    /// By the hash of the name.
    private var table: [Slot]
    private var policy: any DiskEvictionPolicy
    package private(set) var count = 0
    package private(set) var reservations: [UInt64: Reservation] = [:]
    /// The lengths of all files, in bytes, and the room that was promised.
    package private(set) var byteCount = 0
    /// The greatest stamp so far.
    package private(set) var newestStamp = Int64.min

    package init(policy: any DiskEvictionPolicy = LeastRecentlyUsed(), capacity: Int = 0) {
        self.policy = policy
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        table = Array(repeating: .empty, count: size)
        nodes.reserveCapacity(capacity)
    }

    package subscript(name: EntryName) -> Record? { slot(of: name).map { nodes[Int(table[$0].place)] } }

    /// All entries, in no order.
    package var records: [Record] { table.filter { !$0.isEmpty }.map { nodes[Int($0.place)] } }

    /// When the entries were used last: the earliest and the latest time. Nil when there are none.
    package var stamps: ClosedRange<Int64>? {
        var stamps: ClosedRange<Int64>?
        for slot in table where !slot.isEmpty {
            let stamp = nodes[Int(slot.place)].stamp
            stamps = min(stamps?.lowerBound ?? stamp, stamp)...max(stamps?.upperBound ?? stamp, stamp)
        }
        return stamps
    }

    /// The entries that were last used before a time, in no order.
    package func names(unusedSince deadline: Int64) -> [EntryName] {
        table.compactMap { slot in
            guard !slot.isEmpty, nodes[Int(slot.place)].stamp < deadline else { return nil }
            return nodes[Int(slot.place)].name
        }
    }

    /// The entry that the policy would have go next.
    package mutating func victim() -> Record? { policy.victim().map { nodes[$0] } }

    /// Puts a record in, in place of an earlier one of that name.
    package mutating func insert(_ record: Record) {
        remove(record.name)
        if (count + 1) * 4 > table.count * 3 { enlarge() }
        let place = freePlaces.popLast() ?? Int32(nodes.count)
        if Int(place) == nodes.count {
            nodes.growByAQuarter()
            nodes.append(record)
        } else {
            nodes[Int(place)] = record
        }
        enter(place)
        count += 1
        byteCount += record.byteCount
        newestStamp = max(newestStamp, record.stamp)
        policy.insert(Int(place), byteCount: record.byteCount)
    }

    /// Notes a use; false when the entry is not known.
    @discardableResult
    package mutating func use(_ name: EntryName, stamp: Int64) -> Bool {
        guard let slot = slot(of: name) else { return false }
        let place = Int(table[slot].place)
        nodes[place].stamp = max(nodes[place].stamp, stamp)
        newestStamp = max(newestStamp, stamp)
        policy.use(place)
        return true
    }

    package mutating func remove(_ name: EntryName) {
        guard let slot = slot(of: name) else { return }
        let place = table[slot].place
        vacate(slot)
        policy.remove(Int(place))
        freePlaces.append(place)
        count -= 1
        byteCount -= nodes[Int(place)].byteCount
    }

    /// Promises room, in place of what the writer was promised before.
    package mutating func reserve(_ byteCount: Int, for name: EntryName, writer: UInt64) {
        release(writer)
        reservations[writer] = Reservation(name: name, byteCount: byteCount)
        self.byteCount += byteCount
    }

    package mutating func release(_ writer: UInt64) {
        byteCount -= reservations.removeValue(forKey: writer)?.byteCount ?? 0
    }

    // MARK: The table

    private func home(of name: EntryName) -> Int { Int(truncatingIfNeeded: name.hash) & (table.count - 1) }

    private func tag(of name: EntryName) -> UInt32 { UInt32(truncatingIfNeeded: name.hash >> 32) }

    private func slot(of name: EntryName) -> Int? {
        let tag = tag(of: name)
        var slot = home(of: name)
        while !table[slot].isEmpty {
            if table[slot].tag == tag, nodes[Int(table[slot].place)].name == name { return slot }
            slot = (slot + 1) & (table.count - 1)
        }
        return nil
    }

    private mutating func enter(_ place: Int32) {
        let name = nodes[Int(place)].name
        var slot = home(of: name)
        while !table[slot].isEmpty { slot = (slot + 1) & (table.count - 1) }
        table[slot] = Slot(place: place, tag: tag(of: name))
    }

    /// Empties a slot, and moves back what lies behind it only because the slot was taken.
    private mutating func vacate(_ slot: Int) {
        var hole = slot
        var next = (hole + 1) & (table.count - 1)
        while !table[next].isEmpty {
            let distance = (next - home(of: nodes[Int(table[next].place)].name)) & (table.count - 1)
            if distance >= (next - hole) & (table.count - 1) {
                table[hole] = table[next]
                hole = next
            }
            next = (next + 1) & (table.count - 1)
        }
        table[hole] = .empty
    }

    private mutating func enlarge() {
        let slots = table.filter { !$0.isEmpty }
        table = Array(repeating: .empty, count: table.count * 2)
        for slot in slots { enter(slot.place) }
    }
}
