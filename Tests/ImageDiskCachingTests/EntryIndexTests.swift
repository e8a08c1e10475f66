import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("The index in memory")
struct EntryIndexTests {
    private static func record(_ number: Int, _ byteCount: Int = 10, stamp: Int64 = 0) -> EntryIndex.Record {
        EntryIndex.Record(name: EntryName(key(number)), byteCount: byteCount, stamp: stamp)
    }

    @Test("after any changes the index has the same contents and order as a simple model", arguments: 1...5)
    func agreesWithModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var index = EntryIndex(policy: LeastRecentlyUsed())
        var model: [(number: Int, byteCount: Int)] = []
        let names = (0..<60).map { EntryName(key($0)) }
        for step in 0..<3_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let known = model.firstIndex { $0.number == number }
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let byteCount = Int.random(in: 0..<1_000, using: &random)
                index.insert(Self.record(number, byteCount, stamp: Int64(step)), at: index.slot(for: names[number]))
                if let known { model.remove(at: known) }
                model.append((number, byteCount))
            case 2:
                #expect(index.use(names[number], stamp: Int64(step)) == (known != nil))
                if let known { model.append(model.remove(at: known)) }
            default:
                index.remove(names[number])
                if let known { model.remove(at: known) }
            }
            #expect(index.count == model.count)
            #expect(index.byteCount == model.reduce(0) { $0 + $1.byteCount })
            #expect(index.victim()?.name == model.first.map { names[$0.number] })
            #expect(index[names[number]]?.byteCount == model.first { $0.number == number }?.byteCount)
        }
        #expect(Set(index.records.map(\.name)) == Set(model.map { names[$0.number] }))
    }

    @Test("reserved space counts until it is released, and a new reservation replaces the old one")
    func reservations() {
        var index = EntryIndex()
        let writer = WriterNumber(process: 7, count: 1)
        index.insert(Self.record(1, 100), at: 0)
        index.reserve(50, for: EntryName(key(2)), writer: writer)
        #expect(index.byteCount == 150)
        index.reserve(70, for: EntryName(key(2)), writer: writer)
        #expect(index.byteCount == 170)
        index.release(writer)
        index.release(writer)
        #expect(index.byteCount == 100)
    }

    @Test("first in, first out: reads don't change the order")
    func firstInFirstOut() {
        var index = EntryIndex(policy: FirstInFirstOut())
        for number in 1...3 { index.insert(Self.record(number), at: number - 1) }
        index.use(EntryName(key(1)), stamp: 9)
        #expect(index.victim()?.name == EntryName(key(1)))
        index.remove(EntryName(key(1)))
        #expect(index.victim()?.name == EntryName(key(2)))
    }

    @Test("a decoded event equals the encoded one, and is decoded only at its slot")
    func events() {
        let name = EntryName(key(1))
        let writer = WriterNumber(process: .max, count: .max)
        let events: [JournalFormat.Event] = [
            .insert(Self.record(1, 123, stamp: -5), slot: 3, releasing: nil),
            .insert(Self.record(1, 1 << 40 - 1, stamp: .max), slot: Int(UInt32.max), releasing: writer),
            .use(name, stamp: 77), .remove(name), .reserve(writer: writer, name: name, byteCount: 9),
            .release(writer: WriterNumber(process: 1, count: 0)), .vacancy(slot: 5),
        ]
        for event in events {
            var bytes = JournalFormat.bytes(of: [event], at: 640)
            #expect(bytes.count == JournalFormat.slotSize)
            #expect(unsafe JournalFormat.event(bytes.span.bytes, at: 640) == event)
            #expect(unsafe JournalFormat.event(bytes.span.bytes, at: 704) == nil)
            for position in bytes.indices {
                bytes[position] ^= 0x10
                #expect(unsafe JournalFormat.event(bytes.span.bytes, at: 640) == nil, "altered at \(position)")
                bytes[position] ^= 0x10
            }
        }
    }

    @Test("rejects a slot beyond the next one, because it would waste memory")
    func slotsOutOfRange() {
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for (slot, isPlausible) in [(1, false), (Int(UInt32.max), false), (0, true), (2, false), (1, true)] {
            let isApplied = index.apply(.insert(Self.record(slot), slot: slot, releasing: nil))
            #expect(isApplied == isPlausible)
        }
        #expect(index.count == 2 && index.slotCount == 2)
    }

    @Test("events can be applied again to a table that contains any part of them", arguments: 1...5)
    func appliesAgain(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for number in 0..<20 { index.insert(Self.record(number), at: number) }
        let older = index
        var events: [JournalFormat.Event] = []
        for step in 1...60 {
            let number = Int.random(in: 0..<40, using: &random)
            let name = EntryName(key(number))
            switch Int.random(in: 0..<3, using: &random) {
            case 0: events.append(.remove(name))
            case 1: events.append(.use(name, stamp: Int64(step)))
            default:
                let record = Self.record(number, step, stamp: Int64(step))
                events.append(.insert(record, slot: index.slot(for: name), releasing: nil))
            }
            index.apply(events[events.count - 1])
        }
        // A table in which some slots were written and some were not.
        var table = EntryIndex()
        for slot in 0..<index.slotCount {
            let source = Bool.random(using: &random) && slot < older.slotCount ? older : index
            let record = source.record(at: slot)
            if let record, table[record.name] == nil {
                table.insert(record, at: slot)
            } else {
                _ = table.insertVacancy(at: slot)
            }
        }
        for event in events {
            let isApplied = table.apply(event)
            #expect(isApplied)
        }
        #expect(Set(table.records) == Set(index.records))
        for record in index.records { #expect(table.slot(for: record.name) == index.slot(for: record.name)) }
    }

    @Test("after arrange, entries are evicted in the order of their last use, regardless of their slots")
    func arranges() {
        var index = EntryIndex()
        for (slot, stamp) in [5, 1, 9, 3].enumerated() {
            index.insert(Self.record(slot, stamp: Int64(stamp)), at: slot)
        }
        index.arrange(by: LeastRecentlyUsed())
        var order: [Int64] = []
        while let victim = index.victim() {
            order.append(victim.stamp)
            index.remove(victim.name)
        }
        #expect(order == [1, 3, 5, 9])
    }

    @Test("changed slots are returned once, including vacant ones, and a new entry gets the lowest vacant slot")
    func changes() {
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for number in 0..<200 { index.insert(Self.record(number), at: number) }
        let all = index.takeChanges()
        #expect(all == Array(0..<200))
        index.remove(EntryName(key(150)))
        index.remove(EntryName(key(70)))
        index.use(EntryName(key(3)), stamp: 1)
        let some = index.takeChanges()
        #expect(some == [3, 70, 150])
        let none = index.takeChanges()
        #expect(none == [])
        index.noteChanges([3, 70])
        let again = index.takeChanges()
        #expect(again == [3, 70])
        #expect(index.record(at: 70) == nil)
        #expect(index.slot(for: EntryName(key(300))) == 70)
        index.insert(Self.record(300), at: 70)
        #expect(index.slot(for: EntryName(key(301))) == 150)
        #expect(index.slot(for: EntryName(key(3))) == 3)
    }

    @Test(
        "a moved entry keeps its position, leaves a vacant slot, and replaces the entry at its new slot"
    )
    func moves() {
        for policy in [LeastRecentlyUsed() as any DiskEvictionPolicy, FirstInFirstOut()] {
            var index = EntryIndex(policy: policy)
            for number in 0..<5 { index.insert(Self.record(number, stamp: Int64(number)), at: number) }
            index.takeChanges()
            for (number, slot) in [(0, 5), (2, 0), (4, 3)] {
                index.insert(Self.record(number, stamp: Int64(number)), at: slot)
            }
            let changed = index.takeChanges()
            #expect(changed == [0, 2, 3, 4, 5])
            #expect(index.count == 4 && index.byteCount == 40)
            #expect(
                (0..<6).map { index.record(at: $0)?.name }
                    == [2, 1, nil, 4, nil, 0].map { $0.map { EntryName(key($0)) } })
            // A record that is stored again is different, whatever its slot.
            index.insert(Self.record(1, 30, stamp: 9), at: 4)
            #expect(index[EntryName(key(1))] == Self.record(1, 30, stamp: 9) && index.byteCount == 60)
            #expect(Self.evictionOrder(&index) == [0, 2, 4, 1].map { EntryName(key($0)) })
        }
    }

    @Test(
        "the last entries are moved to the first vacant slots until no slot after the last entry is used"
    )
    func compacts() {
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for number in 0..<300 { index.insert(Self.record(number, stamp: Int64(number)), at: number) }
        let kept = [3, 130, 200, 298]
        for number in 0..<300 where !kept.contains(number) { index.remove(EntryName(key(number))) }
        #expect(index.usedSlotCount == 299)
        #expect(index.moves(2).map(\.slot) == [0, 1])
        #expect(index.moves(2).map(\.record.name) == [298, 200].map { EntryName(key($0)) })
        for (record, slot) in index.moves(100) { index.insert(record, at: slot) }
        #expect(index.moves(100).isEmpty)
        #expect(index.usedSlotCount == 4)
        index.dropVacancies(from: 4)
        #expect(index.slotCount == 4)
        let changed = index.takeChanges()
        #expect(changed == [0, 1, 2, 3])
        #expect(index.slot(for: EntryName(key(999))) == 4)
        #expect(Self.evictionOrder(&index) == kept.map { EntryName(key($0)) })
        #expect(index.usedSlotCount == 0)
    }

    @Test("vacant slots are dropped at any boundary of a word", arguments: [0, 1, 63, 64, 65, 127, 128, 129])
    func dropsAt(end: Int) {
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for number in 0..<200 { index.insert(Self.record(number), at: number) }
        for number in end..<200 { index.remove(EntryName(key(number))) }
        #expect(index.usedSlotCount == end)
        index.dropVacancies(from: end)
        let changed = index.takeChanges()
        #expect(changed == Array(0..<end))
        for number in 300..<303 { index.insert(Self.record(number), at: index.slot(for: EntryName(key(number)))) }
        #expect(index.slotCount == end + 3 && index.count == end + 3)
        #expect(index.record(at: end)?.name == EntryName(key(300)))
    }

    @Test(
        "the differences of a table update an index to the contents and the order of another one",
        arguments: 1...8)
    func updatesFromTable(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for number in 0..<40 { index.insert(Self.record(number, stamp: Int64(number)), at: number) }
        index.remove(EntryName(key(7)))
        index.reserve(99, for: EntryName(key(1)), writer: WriterNumber(process: 1, count: 1))
        var other = index
        other.release(WriterNumber(process: 1, count: 1))
        for step in 100..<130 {
            let number = Int.random(in: 0..<60, using: &random)
            let name = EntryName(key(number))
            switch Int.random(in: 0..<3, using: &random) {
            // An entry that is stored again can get another slot. Another test covers this.
            case 0: if number > 50 || number < 7 { other.remove(name) }
            case 1: other.use(name, stamp: Int64(step))
            default:
                let isNew = index[name] == nil || other[name] != nil
                if isNew { other.insert(Self.record(number, step, stamp: Int64(step)), at: other.slot(for: name)) }
            }
        }
        let slots = try Self.differences(index, other)
        #expect(slots.count <= 30)
        let isDone = index.update(with: slots, slotCount: other.slotCount)
        #expect(isDone)
        let changed = index.takeChanges()
        #expect(changed == [])
        #expect(index.records == other.records && index.byteCount == other.byteCount)
        #expect(index.reservations.isEmpty)
        #expect(Self.evictionOrder(&index) == Self.evictionOrder(&other))
    }

    @Test("rejects an update if entries have other slots or the table is shorter, because the order is unknown")
    func refusesMoves() throws {
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for number in 0..<4 { index.insert(Self.record(number, stamp: Int64(number)), at: number) }
        var other = index
        other.remove(EntryName(key(1)))
        other.insert(Self.record(3, stamp: 3), at: 1)
        var copy = index
        let isApplied = copy.update(with: try Self.differences(index, other), slotCount: 4)
        #expect(!isApplied)
        other.dropVacancies(from: 3)
        let isShorterApplied = index.update(with: [], slotCount: 3)
        #expect(!isShorterApplied)
    }

    @Test("a slot matches only an equal record")
    func matchesRecord() {
        let known = Self.record(1, 123, stamp: 50)
        func matches(_ event: JournalFormat.Event, _ known: EntryIndex.Record?) -> Bool {
            let bytes = JournalFormat.bytes(of: [event], at: 0)
            return unsafe JournalFormat.slot(bytes.span.bytes, matches: known)
        }
        #expect(matches(.insert(known, slot: 3, releasing: nil), known))
        #expect(matches(.insert(known, slot: 3, releasing: WriterNumber(process: 5, count: 9)), known))
        #expect(
            matches(.insert(Self.record(1, 123, stamp: 49), slot: 3, releasing: nil), known),
            "the index has a later use")
        #expect(!matches(.insert(Self.record(1, 123, stamp: 51), slot: 3, releasing: nil), known))
        #expect(!matches(.insert(Self.record(1, 124, stamp: 50), slot: 3, releasing: nil), known))
        #expect(!matches(.insert(Self.record(2, 123, stamp: 50), slot: 3, releasing: nil), known))
        #expect(!matches(.insert(known, slot: 3, releasing: nil), nil))
        #expect(!matches(.vacancy(slot: 3), known))
        #expect(matches(.vacancy(slot: 3), nil))
    }

    /// The slots in which the tables of two indexes differ.
    private static func differences(_ index: EntryIndex, _ other: EntryIndex) throws -> [JournalFormat.Event] {
        var differences: [JournalFormat.Event] = []
        for slot in 0..<other.slotCount {
            let event = other.record(at: slot).map { JournalFormat.Event.insert($0, slot: slot, releasing: nil) }
            let bytes = JournalFormat.bytes(of: [event ?? .vacancy(slot: slot)], at: 0)
            let isKnown = slot < index.slotCount
            if isKnown, unsafe JournalFormat.slot(bytes.span.bytes, matches: index.record(at: slot)) { continue }
            differences.append(try #require(unsafe JournalFormat.event(bytes.span.bytes, at: 0)))
        }
        return differences
    }

    /// All entries in the order of their eviction.
    private static func evictionOrder(_ index: inout EntryIndex) -> [EntryName] {
        var names: [EntryName] = []
        while let victim = index.victim() {
            names.append(victim.name)
            index.remove(victim.name)
        }
        return names
    }
}
