/// What the folder holds, by the cache's best knowledge: each entry's size and last use, and the space promised to writers.
///
/// Each entry has a slot: the number of its slot in the table that the folder keeps. A pure value. About 80 bytes an entry: 48 in
/// an array of nodes, the policy's 8, and 8 for each slot of the table of names, which is kept between three eighths and three quarters
/// full.
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

    /// Space that a writer was promised for a file that is not in place yet.
    package struct Reservation: Hashable, Sendable {
        package var name: EntryName
        package var byteCount: Int
    }

    /// By slot, in the order of the table in the folder.
    private var nodes: [Record] = []
    /// Slots in `nodes` that nothing has.
    private var vacancies = SlotSet()
    /// Slots that the table in the folder does not tell of as they are.
    private var changes = SlotSet()
    private var names: NameTable
    /// Nil until all entries are known.
    private var policy: (any DiskEvictionPolicy)?
    package private(set) var count = 0
    package private(set) var reservations: [WriterNumber: Reservation] = [:]
    /// The lengths of all files, in bytes, and the space that was promised.
    package private(set) var byteCount = 0
    /// The greatest stamp so far.
    package private(set) var newestStamp = Int64.min

    /// - Parameter policy: nil if entries are to come in any order, and `arrange` after them.
    package init(policy: (any DiskEvictionPolicy)? = nil, capacity: Int = 0) {
        self.policy = policy
        names = NameTable(capacity: capacity)
        nodes.reserveCapacity(capacity)
    }

    package subscript(name: EntryName) -> Record? { slot(of: name).map { nodes[$0] } }

    /// All entries, in the order of their slots.
    package var records: [Record] { nodes.indices.compactMap(record) }

    /// How many slots there are, with those that nothing has.
    package var slotCount: Int { nodes.count }

    /// When the entries were used last: the earliest and the latest time. Nil when there are none.
    package var stamps: ClosedRange<Int64>? {
        let stamps = records.map(\.stamp)
        guard let least = stamps.min(), let most = stamps.max() else { return nil }
        return least...most
    }

    /// The entries that were last used before a time, in no order.
    package func names(unusedSince deadline: Int64) -> [EntryName] {
        records.filter { $0.stamp < deadline }.map(\.name)
    }

    /// The entry that the policy would have go next.
    package mutating func victim() -> Record? { policy?.victim().map { nodes[$0] } }

    /// Tells a policy of all entries, in the order of their last use, and follows it from now on.
    package mutating func arrange(by policy: any DiskEvictionPolicy) {
        var policy = policy
        var order = nodes.indices.compactMap { slot in record(at: slot).map { (stamp: $0.stamp, slot: slot) } }
        order.sort { $0.stamp < $1.stamp }
        for (_, slot) in order { policy.insert(slot, byteCount: nodes[slot].byteCount) }
        self.policy = policy
    }

    /// The slot that an entry has, or would get.
    package func slot(for name: EntryName) -> Int { slot(of: name) ?? vacancies.first ?? nodes.count }

    private func slot(of name: EntryName) -> Int? { names.slot(of: name, among: nodes) }

    /// Puts a record in, in place of an earlier one of that name, and of another one that has the place. One that is there as it is,
    /// but at another slot, moves, and its turn to go stays what it was.
    ///
    /// - Parameter slot: at most `slotCount`. False when it is more: nobody gives such a slot.
    @discardableResult
    package mutating func insert(_ record: Record, at slot: Int) -> Bool {
        guard slot <= nodes.count else { return false }
        if let old = self.slot(of: record.name), old != slot, nodes[old] == record {
            move(old, to: slot)
            return true
        }
        remove(record.name)
        seat(record, at: slot)
        names.insert(slot, among: nodes)
        count += 1
        byteCount += record.byteCount
        newestStamp = max(newestStamp, record.stamp)
        policy?.insert(slot, byteCount: record.byteCount)
        return true
    }

    private mutating func move(_ old: Int, to slot: Int) {
        seat(nodes[old], at: slot)
        names.move(old, to: slot, among: nodes)
        vacancies.insert(old)
        changes.insert(old)
        policy?.move(old, to: slot)
    }

    /// Assigns a slot to a record and removes the record that had it.
    private mutating func seat(_ record: Record, at slot: Int) {
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

    /// Notes that the table has a slot which nothing has; false when it does not come next.
    package mutating func insertVacancy(at slot: Int) -> Bool {
        guard slot == nodes.count else { return false }
        nodes.growByAQuarter()
        nodes.append(Record(name: .none, byteCount: 0, stamp: 0))
        vacancies.insert(slot)
        return true
    }

    /// Notes a use; false when the entry is not known.
    @discardableResult
    package mutating func use(_ name: EntryName, stamp: Int64) -> Bool {
        guard let slot = slot(of: name) else { return false }
        nodes[slot].stamp = max(nodes[slot].stamp, stamp)
        newestStamp = max(newestStamp, stamp)
        changes.insert(slot)
        policy?.use(slot)
        return true
    }

    package mutating func remove(_ name: EntryName) {
        guard let slot = names.remove(name, among: nodes) else { return }
        policy?.remove(slot)
        vacancies.insert(slot)
        changes.insert(slot)
        count -= 1
        byteCount -= nodes[slot].byteCount
    }

    /// Promises space, in place of what the writer was promised before.
    package mutating func reserve(_ byteCount: Int, for name: EntryName, writer: WriterNumber) {
        release(writer)
        reservations[writer] = Reservation(name: name, byteCount: byteCount)
        self.byteCount += byteCount
    }

    package mutating func release(_ writer: WriterNumber) {
        byteCount -= reservations.removeValue(forKey: writer)?.byteCount ?? 0
    }

    // MARK: What the table in the folder has to be told

    /// The slots that it does not tell of as they are, in order. From here on, it does.
    @discardableResult
    package mutating func takeChanges() -> [Int] {
        defer { changes = SlotSet() }
        return changes.slots()
    }

    /// Takes back what `takeChanges` took.
    package mutating func noteChanges(_ slots: [Int]) {
        for slot in slots { changes.insert(slot) }
    }

    /// So many slots the table needs: up to the last that something has.
    package var usedSlotCount: Int { vacancies.lastMissing(below: nodes.count).map { $0 + 1 } ?? 0 }

    /// Forgets the slots from `end` on, which nothing has.
    package mutating func dropVacancies(from end: Int) {
        nodes.removeLast(nodes.count - end)
        vacancies.cut(to: end)
        changes.cut(to: end)
    }

    /// Entries to be moved from the last slots to the first vacant ones, and where to.
    package func moves(_ most: Int) -> [(record: Record, slot: Int)] {
        var moves: [(record: Record, slot: Int)] = []
        var end = nodes.count
        for slot in vacancies.slots(most) {
            guard let last = vacancies.lastMissing(below: end), last > slot else { break }
            moves.append((nodes[last], slot))
            end = last
        }
        return moves
    }

    /// Follows a table that differs in some slots, which are whole. False when entries have other slots than they had: their turns can't
    /// be told then, and all that is known has to be forgotten.
    package mutating func follow(_ slots: [JournalFormat.Event], slotCount: Int) -> Bool {
        guard slotCount >= nodes.count else { return false }
        while nodes.count < slotCount { _ = insertVacancy(at: nodes.count) }
        var changed: [(record: Record, slot: Int)] = []
        for case .insert(let record, let slot, _) in slots {
            if let old = self.slot(of: record.name), old != slot { return false }
            changed.append((record, slot))
        }
        for case .vacancy(let slot) in slots { if let gone = record(at: slot) { remove(gone.name) } }
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

    /// What has a slot; nil when nothing has.
    package func record(at slot: Int) -> Record? { vacancies.contains(slot) ? nil : nodes[slot] }
}
