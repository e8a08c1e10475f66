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
        var index = EntryIndex()
        var model: [(number: Int, byteCount: Int)] = []
        let names = (0..<60).map { EntryName(key($0)) }
        for step in 0..<3_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let known = model.firstIndex { $0.number == number }
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let byteCount = Int.random(in: 0..<1_000, using: &random)
                index.insert(Self.record(number, byteCount, stamp: Int64(step)))
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
        index.insert(Self.record(1, 100))
        index.reserve(50, for: EntryName(key(2)), writer: 7)
        #expect(index.byteCount == 150)
        index.reserve(70, for: EntryName(key(2)), writer: 7)
        #expect(index.byteCount == 170)
        index.release(7)
        index.release(7)
        #expect(index.byteCount == 100)
    }

    @Test("first in, first out: what was read goes all the same")
    func firstInFirstOut() {
        var index = EntryIndex(policy: FirstInFirstOut())
        for number in 1...3 { index.insert(Self.record(number)) }
        index.use(EntryName(key(1)), stamp: 9)
        #expect(index.victim()?.name == EntryName(key(1)))
        index.remove(EntryName(key(1)))
        #expect(index.victim()?.name == EntryName(key(2)))
    }

    @Test("an event is read back as it was written, at its place and nowhere else")
    func events() {
        let name = EntryName(key(1))
        let events: [JournalFormat.Event] = [
            .insert(Self.record(1, 123, stamp: -5)), .use(name, stamp: 77), .remove(name),
            .reserve(writer: .max, name: name, byteCount: 9), .release(writer: 3),
        ]
        for event in events {
            var bytes: [UInt8] = []
            JournalFormat.append(event, at: 640, to: &bytes)
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

    @Test("a forged event with an absurd length is damage, not an overflow", arguments: [-1, .min, .max, 1 << 41])
    func absurdLengths(byteCount: Int) {
        for event in [
            JournalFormat.Event.insert(Self.record(1, byteCount)),
            .reserve(writer: 1, name: EntryName(key(1)), byteCount: byteCount),
        ] {
            var bytes: [UInt8] = []
            JournalFormat.append(event, at: 64, to: &bytes)
            #expect(unsafe JournalFormat.event(bytes.span.bytes, at: 64) == nil)
        }
    }
}
