/// How the index lies in its file: a head, then what happened, in order. Whoever repeats it all knows the folder.
///
/// ```text
/// head of 64 bytes, little-endian:
///   magic "SILi"  4   version 4   generation 8   boot number 8   layout 8   zeros 24   XXH3 of the 56 bytes before 8
/// event of 64 bytes:
///   kind 4   zeros 4   name 32   number 8   stamp or writer 8   XXH3 of the 56 bytes before, with the event's own offset added 8
/// ```
/// Both have a length that divides a memory page, so that no event is seen in part but after a power cut. What is damaged is
/// noticed by the checksum, what is out of place by the offset in it.
package enum JournalFormat {
    package static let slotSize = 64
    private static let version: UInt32 = 1
    /// Whoever can write to the folder can forge events. So many of this length that their sum overflows don't fit into a file.
    private static let largestByteCount = 1 << 40
    private static let magic = UInt32(littleEndian: 0x6949_4C53)

    package struct Head: Hashable, Sendable {
        /// Another one whenever the file was written anew.
        package var generation: UInt64
        /// The start of the machine in which it was written anew: after another one, anything may be missing from the file.
        package var bootNumber: UInt64
        /// How names become paths.
        package var layout: UInt64
    }

    package enum Event: Hashable, Sendable {
        /// An entry is there.
        case insert(EntryIndex.Record)
        case use(EntryName, stamp: Int64)
        case remove(EntryName)
        /// A writer was promised room.
        case reserve(writer: UInt64, name: EntryName, byteCount: Int)
        case release(writer: UInt64)

        /// The same with another time.
        func stamped(_ correct: (Int64) -> Int64) -> Event {
            switch self {
            case .insert(var record):
                record.stamp = correct(record.stamp)
                return .insert(record)
            case .use(let name, let stamp): return .use(name, stamp: correct(stamp))
            case .remove, .reserve, .release: return self
            }
        }
    }

    package static func bytes(of head: Head) -> [UInt8] {
        var bytes: [UInt8] = []
        append(magic, to: &bytes)
        append(version, to: &bytes)
        append(head.generation, to: &bytes)
        append(head.bootNumber, to: &bytes)
        append(head.layout, to: &bytes)
        bytes.append(contentsOf: repeatElement(0, count: 24))
        append(unsafe Checksum.of(bytes.span.bytes), to: &bytes)
        return bytes
    }

    /// Nil when it is damaged, or of another version.
    package static func head(_ bytes: RawSpan) -> Head? {
        guard bytes.byteCount == slotSize, word(bytes, 0) == UInt64(version) << 32 | UInt64(magic),
            word(bytes, 56) == Checksum.of(bytes.extracting(0..<56))
        else { return nil }
        return Head(generation: word(bytes, 8), bootNumber: word(bytes, 16), layout: word(bytes, 24))
    }

    /// Appends an event that is to lie at `offset` in the file.
    package static func append(_ event: Event, at offset: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        let (kind, name, number, last) = fields(of: event)
        append(kind, to: &bytes)
        name.append(to: &bytes)
        append(UInt64(bitPattern: number), to: &bytes)
        append(last, to: &bytes)
        let sum = unsafe Checksum.of(bytes.span.bytes.extracting(start..<start + 56))
        append(sum &+ UInt64(offset), to: &bytes)
    }

    /// The event at `offset` in the file; nil when it is damaged.
    package static func event(_ bytes: RawSpan, at offset: Int) -> Event? {
        guard word(bytes, 56) == Checksum.of(bytes.extracting(0..<56)) &+ UInt64(offset) else { return nil }
        let name = EntryName(words: (word(bytes, 8), word(bytes, 16), word(bytes, 24), word(bytes, 32)))
        let number = Int(truncatingIfNeeded: word(bytes, 40))
        let last = word(bytes, 48)
        switch word(bytes, 0) {
        case 1 where (0...largestByteCount).contains(number):
            return .insert(EntryIndex.Record(name: name, byteCount: number, stamp: Int64(bitPattern: last)))
        case 2: return .use(name, stamp: Int64(bitPattern: last))
        case 3: return .remove(name)
        case 4 where (0...largestByteCount).contains(number):
            return .reserve(writer: last, name: name, byteCount: number)
        case 5: return .release(writer: last)
        default: return nil
        }
    }

    private static func fields(of event: Event) -> (kind: UInt64, name: EntryName, number: Int64, last: UInt64) {
        switch event {
        case .insert(let record): (1, record.name, Int64(record.byteCount), UInt64(bitPattern: record.stamp))
        case .use(let name, let stamp): (2, name, 0, UInt64(bitPattern: stamp))
        case .remove(let name): (3, name, 0, 0)
        case .reserve(let writer, let name, let byteCount): (4, name, Int64(byteCount), writer)
        case .release(let writer): (5, EntryName(words: (0, 0, 0, 0)), 0, writer)
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
    /// Follows what happened.
    package mutating func apply(_ event: JournalFormat.Event) {
        switch event {
        case .insert(let record): insert(record)
        case .use(let name, let stamp): use(name, stamp: stamp)
        case .remove(let name): remove(name)
        case .reserve(let writer, let name, let byteCount): reserve(byteCount, for: name, writer: writer)
        case .release(let writer): release(writer)
        }
    }
}
