/// The contents of the folder: the size and the last use of each entry, and the reservations of writers. Does no I/O.
///
/// Each entry has a slot, which is its number in the table of the folder. An entry takes about 80 bytes: 48 in the
/// array of nodes, 8 in the policy, and the rest in the name table, which is three eighths to three quarters full.
package struct EntryIndex: Sendable {
    /// The file of one entry.
    package struct Record: Hashable, Sendable {
        package var name: EntryName
        package var byteCount: Int
        /// The time of the last use, in nanoseconds since 1970.
        package var stamp: Int64

        package init(name: EntryName, byteCount: Int, stamp: Int64) {
            self.name = name
            self.byteCount = byteCount
            self.stamp = stamp
        }
    }

    /// Space that is reserved for a file that is being written.
    package struct Reservation: Hashable, Sendable {
        package var name: EntryName
        package var byteCount: Int
    }

    /// The records by slot, in the order of the table.
    private var nodes: [Record] = []
    /// The slots without an entry.
    private var vacancies = SlotSet()
    /// The slots that differ from the table.
    private var changes = SlotSet()
    private var names: NameTable
    /// The eviction policy. `nil` until `arrange` is called.
    private var policy: (any DiskEvictionPolicy)?
    package private(set) var count = 0
    package private(set) var reservations: [WriterNumber: Reservation] = [:]
    /// The lengths of all files and reservations, in bytes.
    package private(set) var byteCount = 0
    /// The latest time of use.
    package private(set) var newestStamp = Int64.min

    /// - Parameters:
    ///   - policy: The eviction policy. Pass nil to insert entries in any order and call `arrange` afterwards.
    ///   - capacity: The number of entries to allocate memory for.
    package init(policy: (any DiskEvictionPolicy)? = nil, capacity: Int = 0) {
        self.policy = policy
        names = NameTable(capacity: capacity)
        nodes.reserveCapacity(capacity)
    }

    package subscript(name: EntryName) -> Record? { slot(of: name).map { nodes[$0] } }

    /// Returns the record of an entry. Mutating, so that a call through an optional doesn't copy the index.
    mutating func lookUp(_ name: EntryName) -> Record? { self[name] }

    /// All entries in the order of their slots.
    package var records: [Record] { nodes.indices.compactMap(record) }

    /// The number of slots, including vacant ones.
    package var slotCount: Int { nodes.count }

    /// The earliest and the latest time of use. `nil` if there are no entries.
    package var stamps: ClosedRange<Int64>? {
        let stamps = records.map(\.stamp)
        guard let least = stamps.min(), let most = stamps.max() else { return nil }
        return least...most
    }

    /// Returns the entries that were last used before a time, in any order.
    package func names(unusedSince deadline: Int64) -> [EntryName] {
        records.filter { $0.stamp < deadline }.map(\.name)
    }

    /// Returns the entry to evict next. If the policy names none, although there are entries, it is the one that was not
    /// used for the longest time.
    package mutating func victim() -> Record? {
        guard let slot = policy?.victim(), nodes.indices.contains(slot), let record = record(at: slot) else {
            return policy == nil ? nil : nodes.indices.compactMap { record(at: $0) }.min { $0.stamp < $1.stamp }
        }
        return record
    }

    /// Inserts all entries into a policy, in the order of their last use, and uses it from now on.
    package mutating func arrange(by policy: any DiskEvictionPolicy) {
        var policy = policy
        var order = nodes.indices.compactMap { slot in record(at: slot).map { (stamp: $0.stamp, slot: slot) } }
        order.sort { $0.stamp < $1.stamp }
        for (_, slot) in order { policy.insert(slot, byteCount: nodes[slot].byteCount) }
        self.policy = policy
    }

    /// Returns the slot of an entry, or the slot that it would get.
    package func slot(for name: EntryName) -> Int { slot(of: name) ?? vacancies.first ?? nodes.count }

    private func slot(of name: EntryName) -> Int? { names.slot(of: name, among: nodes) }

    /// Inserts a record, and removes an earlier record with the same name or slot.
    ///
    /// A record that is unchanged except for its slot moves there, and keeps its position in the eviction order.
    /// - Parameter slot: A number up to `slotCount`.
    /// - Returns: False if the slot is greater.
    @discardableResult
    package mutating func insert(_ record: Record, at slot: Int) -> Bool {
        guard slot <= nodes.count else { return false }
        if let old = self.slot(of: record.name), old != slot, nodes[old] == record {
            move(old, to: slot)
            return true
        }
        remove(record.name)
        assign(record, at: slot)
        names.insert(slot, among: nodes)
        count += 1
        byteCount += record.byteCount
        newestStamp = max(newestStamp, record.stamp)
        policy?.insert(slot, byteCount: record.byteCount)
        return true
    }

    private mutating func move(_ old: Int, to slot: Int) {
        assign(nodes[old], at: slot)
        names.move(old, to: slot, among: nodes)
        vacancies.insert(old)
        changes.insert(old)
        policy?.move(old, to: slot)
    }

    /// Assigns a slot to a record and removes the record that had it.
    private mutating func assign(_ record: Record, at slot: Int) {
        changes.insert(slot)
        if slot == nodes.count {
            nodes.growByAQuarter()
            nodes.append(record)
            return
        }
        if !vacancies.contains(slot) { remove(nodes[slot].name) }
        vacancies.remove(slot)
        nodes[slot] = record
    }

    /// Adds a vacant slot at the end. Returns false if `slot` is not the next number.
    package mutating func insertVacancy(at slot: Int) -> Bool {
        guard slot == nodes.count else { return false }
        nodes.growByAQuarter()
        nodes.append(Record(name: .none, byteCount: 0, stamp: 0))
        vacancies.insert(slot)
        return true
    }

    /// Records a use. Returns false if the entry is unknown.
    @discardableResult
    package mutating func use(_ name: EntryName, stamp: Int64) -> Bool {
        guard let slot = slot(of: name) else { return false }
        nodes[slot].stamp = max(nodes[slot].stamp, stamp)
        newestStamp = max(newestStamp, stamp)
        changes.insert(slot)
        policy?.use(slot)
        return true
    }

    /// Changes the times of use. The eviction order doesn't change.
    mutating func correctTimes(_ correct: (Int64) -> Int64) {
        for slot in nodes.indices where correct(nodes[slot].stamp) != nodes[slot].stamp {
            nodes[slot].stamp = correct(nodes[slot].stamp)
            changes.insert(slot)
        }
        newestStamp = correct(newestStamp)
    }

    /// Removes an entry. Does nothing if it is unknown.
    package mutating func remove(_ name: EntryName) {
        guard let slot = names.remove(name, among: nodes) else { return }
        policy?.remove(slot)
        vacancies.insert(slot)
        changes.insert(slot)
        count -= 1
        byteCount -= nodes[slot].byteCount
    }

    /// Reserves space for a writer, and replaces its earlier reservation.
    package mutating func reserve(_ byteCount: Int, for name: EntryName, writer: WriterNumber) {
        release(writer)
        reservations[writer] = Reservation(name: name, byteCount: byteCount)
        self.byteCount += byteCount
    }

    /// Removes the reservation of a writer. Does nothing if it has none.
    package mutating func release(_ writer: WriterNumber) {
        byteCount -= reservations.removeValue(forKey: writer)?.byteCount ?? 0
    }

    // MARK: Changes of the table

    /// Returns the sorted slots that differ from the table, and marks them as unchanged.
    @discardableResult
    package mutating func takeChanges() -> [Int] {
        defer { changes = SlotSet() }
        return changes.slots()
    }

    /// Marks slots as changed again after they could not be written.
    package mutating func noteChanges(_ slots: [Int]) {
        for slot in slots { changes.insert(slot) }
    }

    /// The number of slots up to the last one with an entry.
    package var usedSlotCount: Int { vacancies.lastMissing(below: nodes.count).map { $0 + 1 } ?? 0 }

    /// Removes the slots from `end` on. All of them must be vacant.
    package mutating func dropVacancies(from end: Int) {
        nodes.removeLast(nodes.count - end)
        vacancies.removeSlots(from: end)
        changes.removeSlots(from: end)
    }

    /// Returns the entries at the last slots, and the first vacant slots to move them to. Returns up to `maxCount`
    /// moves.
    package func moves(_ maxCount: Int) -> [(record: Record, slot: Int)] {
        var moves: [(record: Record, slot: Int)] = []
        var end = nodes.count
        for slot in vacancies.slots(maxCount) {
            guard let last = vacancies.lastMissing(below: end), last > slot else { break }
            moves.append((nodes[last], slot))
            end = last
        }
        return moves
    }

    /// Updates the index with the slots in which a table differs.
    ///
    /// Returns false if an entry has another slot than before. The eviction order is then unknown, and the index must
    /// be loaded again.
    package mutating func update(with slots: [JournalFormat.Event], slotCount: Int) -> Bool {
        guard slotCount >= nodes.count else { return false }
        while nodes.count < slotCount { _ = insertVacancy(at: nodes.count) }
        var changed: [(record: Record, slot: Int)] = []
        for case .insert(let record, let slot, _) in slots {
            if let old = self.slot(of: record.name), old != slot { return false }
            changed.append((record, slot))
        }
        for case .vacancy(let slot) in slots { if let removed = record(at: slot) { remove(removed.name) } }
        changed.sort { $0.record.stamp < $1.record.stamp }
        for (record, slot) in changed { update(record, at: slot) }
        for writer in reservations.keys { release(writer) }
        takeChanges()
        return true
    }

    private mutating func update(_ record: Record, at slot: Int) {
        if let known = self.record(at: slot), known.name == record.name, known.byteCount == record.byteCount {
            use(record.name, stamp: record.stamp)
        } else {
            insert(record, at: slot)
        }
    }

    /// Returns the record at a slot. Returns nil if the slot is vacant.
    package func record(at slot: Int) -> Record? { vacancies.contains(slot) ? nil : nodes[slot] }
}
