/// The format of the index: a table of the entries, and a journal of the events since the table was written.
///
/// ```text
/// entries.table   the slots of the index: insert or vacancy events
/// entries.index   a head, then one slot for each event, in order
///
/// slot of 64 bytes, little-endian:
///   kind 1   length 5   writer's number 2   slot 4   writer's process 4   name 32   stamp 8
///   XXH3 of the 56 bytes before, plus the offset of the slot 8
/// head of 64 bytes:
///   magic "SILi"  4   version 4   generation 8   boot number 8   layout 8   slots in the table 8   zeros 16
///   XXH3 of the 56 bytes before 8
/// ```
/// The size of a slot divides the size of a memory page, so only a power cut can leave a slot incomplete. The checksum
/// detects damaged slots, and the offset in it detects misplaced ones.
package enum JournalFormat {
    package static let slotSize = 64
    private static let version: UInt32 = 2
    /// The maximum of five bytes: 1 TiB. A file can't contain enough of these numbers that their sum overflows.
    private static let largestByteCount = 1 << 40 - 1
    private static let magic = UInt32(littleEndian: 0x6949_4C53)

    /// The first slot of the journal.
    package struct Head: Hashable, Sendable {
        /// A number that changes whenever the journal is restarted.
        package var generation: UInt64
        /// The boot number when the journal was started. After another start of the system, parts of the files can be
        /// missing.
        package var bootNumber: UInt64
        /// The number of the layout.
        package var layout: UInt64
        /// The number of slots in the table.
        package var slotCount: Int
    }

    /// A change of the index, or the contents of a slot of the table.
    package enum Event: Hashable, Sendable {
        /// An entry exists and has this slot. The reservation of its writer is released.
        case insert(EntryIndex.Record, slot: Int, releasing: WriterNumber?)
        case use(EntryName, stamp: Int64)
        case remove(EntryName)
        /// A writer has reserved space.
        case reserve(writer: WriterNumber, name: EntryName, byteCount: Int)
        case release(writer: WriterNumber)
        /// The slot is vacant. Occurs only in the table.
        case vacancy(slot: Int)

        /// Returns the event with a corrected time.
        func correctingTime(_ correct: (Int64) -> Int64) -> Event {
            switch self {
            case .insert(var record, let slot, let writer):
                record.stamp = correct(record.stamp)
                return .insert(record, slot: slot, releasing: writer)
            case .use(let name, let stamp): return .use(name, stamp: correct(stamp))
            case .remove, .reserve, .release, .vacancy: return self
            }
        }
    }

    /// The fields of a slot.
    private struct Fields {
        var kind: UInt8
        var name = EntryName.none
        var byteCount = 0
        var stamp: Int64 = 0
        var slot = 0
        var writer: WriterNumber?
    }

    /// Returns the encoded head.
    package static func bytes(of head: Head) -> [UInt8] {
        var bytes: [UInt8] = []
        append(UInt64(version) << 32 | UInt64(magic), to: &bytes)
        for word in [head.generation, head.bootNumber, head.layout, UInt64(head.slotCount), 0, 0] {
            append(word, to: &bytes)
        }
        append(unsafe Checksum.of(bytes.span.bytes), to: &bytes)
        return bytes
    }

    /// Decodes a head. Returns nil if it is damaged or has another version.
    package static func head(_ bytes: RawSpan) -> Head? {
        guard bytes.byteCount == slotSize, word(bytes, 0) == UInt64(version) << 32 | UInt64(magic),
            word(bytes, 56) == Checksum.of(bytes.extracting(0..<56)), let slotCount = Int(exactly: word(bytes, 32))
        else { return nil }
        return Head(
            generation: word(bytes, 8), bootNumber: word(bytes, 16), layout: word(bytes, 24), slotCount: slotCount)
    }

    /// Returns encoded events for adjacent slots. The first slot starts at `offset` in the file.
    package static func bytes(of events: some Collection<Event>, at offset: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(events.count * slotSize)
        for event in events { append(event, at: offset + bytes.count, to: &bytes) }
        return bytes
    }

    private static func append(_ event: Event, at offset: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        let fields = fields(of: event)
        let byteCount = UInt64(min(max(0, fields.byteCount), largestByteCount))
        append(UInt64(fields.kind) | byteCount << 8 | UInt64(fields.writer?.count ?? 0) << 48, to: &bytes)
        append(UInt64(UInt32(fields.slot)) | UInt64(fields.writer?.process ?? 0) << 32, to: &bytes)
        fields.name.append(to: &bytes)
        append(UInt64(bitPattern: fields.stamp), to: &bytes)
        let sum = unsafe Checksum.of(bytes.span.bytes.extracting(start..<start + 56))
        append(sum &+ UInt64(offset), to: &bytes)
    }

    /// Returns true if a slot of the table matches a record, whose last use can be later. Doesn't verify the checksum.
    package static func slot(_ bytes: RawSpan, matches known: EntryIndex.Record?) -> Bool {
        let first = word(bytes, 0)
        guard let known else { return UInt8(truncatingIfNeeded: first) == 6 }
        return first & ~(0xFFFF << 48) == 1 | UInt64(known.byteCount) << 8
            && EntryName(words: (word(bytes, 16), word(bytes, 24), word(bytes, 32), word(bytes, 40))) == known.name
            && Int64(bitPattern: word(bytes, 48)) <= known.stamp
    }

    /// Decodes the event at `offset` in the file. Returns nil if it is damaged.
    package static func event(_ bytes: RawSpan, at offset: Int) -> Event? {
        guard word(bytes, 56) == Checksum.of(bytes.extracting(0..<56)) &+ UInt64(offset) else { return nil }
        let (first, second) = (word(bytes, 0), word(bytes, 8))
        let name = EntryName(words: (word(bytes, 16), word(bytes, 24), word(bytes, 32), word(bytes, 40)))
        let byteCount = Int(first >> 8 & UInt64(largestByteCount))
        let stamp = Int64(bitPattern: word(bytes, 48))
        let slot = Int(UInt32(truncatingIfNeeded: second))
        let writer = WriterNumber(
            process: UInt32(truncatingIfNeeded: second >> 32), count: UInt16(truncatingIfNeeded: first >> 48))
        switch UInt8(truncatingIfNeeded: first) {
        case 1:
            let record = EntryIndex.Record(name: name, byteCount: byteCount, stamp: stamp)
            return .insert(record, slot: slot, releasing: writer.process == 0 ? nil : writer)
        case 2: return .use(name, stamp: stamp)
        case 3: return .remove(name)
        case 4: return .reserve(writer: writer, name: name, byteCount: byteCount)
        case 5: return .release(writer: writer)
        case 6: return .vacancy(slot: slot)
        default: return nil
        }
    }

    private static func fields(of event: Event) -> Fields {
        switch event {
        case .insert(let record, let slot, let writer):
            Fields(
                kind: 1, name: record.name, byteCount: record.byteCount, stamp: record.stamp, slot: slot,
                writer: writer)
        case .use(let name, let stamp): Fields(kind: 2, name: name, stamp: stamp)
        case .remove(let name): Fields(kind: 3, name: name)
        case .reserve(let writer, let name, let byteCount):
            Fields(kind: 4, name: name, byteCount: byteCount, writer: writer)
        case .release(let writer): Fields(kind: 5, writer: writer)
        case .vacancy(let slot): Fields(kind: 6, slot: slot)
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        // An integer has no padding.
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    private static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
        // Any eight bytes are a valid UInt64; the span checks the bounds.
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension EntryIndex {
    /// Applies an event. Returns false if it has an invalid slot.
    @discardableResult
    package mutating func apply(_ event: JournalFormat.Event) -> Bool {
        switch event {
        case .insert(let record, let slot, let writer):
            if let writer { release(writer) }
            return insert(record, at: slot)
        case .use(let name, let stamp): use(name, stamp: stamp)
        case .remove(let name): remove(name)
        case .reserve(let writer, let name, let byteCount): reserve(byteCount, for: name, writer: writer)
        case .release(let writer): release(writer)
        case .vacancy(let slot): return insertVacancy(at: slot)
        }
        return true
    }

    /// Returns the events for slots of the table.
    func slots(at slots: some Collection<Int>) -> [JournalFormat.Event] {
        slots.map { slot in
            record(at: slot).map { .insert($0, slot: slot, releasing: nil) } ?? .vacancy(slot: slot)
        }
    }
}
