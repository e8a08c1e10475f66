import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("The index in memory")
struct EntryIndexTests {
    private static func record(_ number: Int, _ byteCount: Int = 10, stamp: Int64 = 0) -> EntryIndex.Record {
        EntryIndex.Record(name: EntryName(key(number)), byteCount: byteCount, stamp: stamp)
    }

    @Test("after any changes it holds what a dictionary and an array in order of use would", arguments: 1...5)
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
                index.insert(Self.record(number, byteCount, stamp: Int64(step)), at: index.place(for: names[number]))
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

    @Test("room that was promised counts until it is released, and a new promise takes the place of the old one")
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

    @Test("first in, first out: what was read goes all the same")
    func firstInFirstOut() {
        var index = EntryIndex(policy: FirstInFirstOut())
        for number in 1...3 { index.insert(Self.record(number), at: number - 1) }
        index.use(EntryName(key(1)), stamp: 9)
        #expect(index.victim()?.name == EntryName(key(1)))
        index.remove(EntryName(key(1)))
        #expect(index.victim()?.name == EntryName(key(2)))
    }

    @Test("an event is read back as it was written, at its place and nowhere else")
    func events() {
        let name = EntryName(key(1))
        let writer = WriterNumber(process: .max, count: .max)
        let events: [JournalFormat.Event] = [
            .insert(Self.record(1, 123, stamp: -5), place: 3, keeping: nil),
            .insert(Self.record(1, 1 << 40 - 1, stamp: .max), place: Int(UInt32.max), keeping: writer),
            .use(name, stamp: 77), .remove(name), .reserve(writer: writer, name: name, byteCount: 9),
            .release(writer: WriterNumber(process: 1, count: 0)), .vacancy(place: 5),
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

    @Test("a place beyond the next one is refused: nobody gives it, and it would take memory")
    func absurdPlaces() {
        var index = EntryIndex(policy: LeastRecentlyUsed())
        for (place, isPlausible) in [(1, false), (Int(UInt32.max), false), (0, true), (2, false), (1, true)] {
            let isFollowed = index.apply(.insert(Self.record(place), place: place, keeping: nil))
            #expect(isFollowed == isPlausible)
        }
        #expect(index.count == 2 && index.placeCount == 2)
    }

    @Test("events that the table knows of already can be followed again, from whatever state of it", arguments: 1...5)
    func followsAgain(seed: UInt64) {
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
                events.append(.insert(record, place: index.place(for: name), keeping: nil))
            }
            index.apply(events[events.count - 1])
        }
        // A table of which some slots were written and some were not.
        var table = EntryIndex()
        for place in 0..<index.placeCount {
            let source = Bool.random(using: &random) && place < older.placeCount ? older : index
            let record = source.record(at: place)
            if let record, table[record.name] == nil {
                table.insert(record, at: place)
            } else {
                _ = table.insertVacancy(at: place)
            }
        }
        for event in events {
            let isFollowed = table.apply(event)
            #expect(isFollowed)
        }
        #expect(Set(table.records) == Set(index.records))
        for record in index.records { #expect(table.place(for: record.name) == index.place(for: record.name)) }
    }

    @Test("arranged by the time of their last use, entries go in that order, wherever their places are")
    func arranges() {
        var index = EntryIndex()
        for (place, stamp) in [5, 1, 9, 3].enumerated() {
            index.insert(Self.record(place, stamp: Int64(stamp)), at: place)
        }
        index.arrange(by: LeastRecentlyUsed())
        var order: [Int64] = []
        while let victim = index.victim() {
            order.append(victim.stamp)
            index.remove(victim.name)
        }
        #expect(order == [1, 3, 5, 9])
    }

    @Test("what has changed is told once, with places that nothing has any more; a new entry gets the lowest of them")
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
        #expect(index.place(for: EntryName(key(300))) == 70)
        index.insert(Self.record(300), at: 70)
        #expect(index.place(for: EntryName(key(301))) == 150)
        #expect(index.place(for: EntryName(key(3))) == 3)
    }
}
