import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// So many entries get other slots while the folder is locked.
private let movesPerStep = 64

extension EntryFolder {
    /// A step that brings the entries closer together, when more slots are vacant than taken, and some more. When all those behind the
    /// last entry are, the table becomes shorter as its changes are written.
    func closeUp() throws(FileSystemFailure) {
        let moves = state.withLock { state -> [(record: EntryIndex.Record, slot: Int)]? in
            guard let index = state.index, index.slotCount > 2 * index.count + state.journalCapacity else {
                return nil
            }
            return index.moves(min(movesPerStep, state.journalCapacity))
        }
        guard let moves else { return }
        if moves.isEmpty { return try writeChanges() }
        try record(moves.map { .insert($0.record, slot: $0.slot, keeping: nil) })
    }

    /// Writes an index without vacancies: it takes the place of the files, and of what is in memory.
    func rewrite(_ old: EntryIndex) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        var index = EntryIndex(capacity: old.count)
        for (slot, record) in old.records.enumerated() { index.insert(record, at: slot) }
        for (writer, promise) in old.reservations {
            index.reserve(promise.byteCount, for: promise.name, writer: writer)
        }
        index.arrange(by: options.policy)
        index.takeChanges()
        state.withLock { $0.index = nil }
        // If the writer dies before the head is written, the next process rewrites the index.
        try fileSystem.truncate(journal.file, to: 0)
        try writeTable(Array(0..<index.slotCount), index.slots(at: 0..<index.slotCount), index.slotCount)
        let (generation, end) = try beginJournal(journal, index.reservations, slotCount: index.slotCount)
        state.withLock { $0.adopt(index, generation, end: end) }
    }

    /// Writes into the table what has changed, and begins the journal anew: so many slots at most as there were events and uses
    /// since the last time, however many entries there are. A process that dies meanwhile leaves events that the table already has;
    /// to follow them again does no harm.
    func writeChanges() throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        // What is used from here on is another change.
        let (slotNumbers, slots, promises, slotCount) = state.withLock { state in
            let slotNumbers = state.index?.takeChanges() ?? []
            let slotCount = state.index?.usedSlotCount ?? 0
            let slots = state.index?.slots(at: slotNumbers.prefix { $0 < slotCount }) ?? []
            return (slotNumbers, slots, state.index?.reservations ?? [:], slotCount)
        }
        do {
            try writeTable(slotNumbers, slots, slotCount)
            let (generation, end) = try beginJournal(journal, promises, slotCount: slotCount)
            state.withLock { state in
                state.index?.dropVacancies(from: slotCount)
                state.journal?.generation = generation
                state.journal?.end = end
            }
        } catch {
            state.withLock { $0.index?.noteChanges(slotNumbers) }
            throw error
        }
    }

    /// Writes the slots with some numbers, which are given in order, into the table, and cuts it off behind `slotCount`.
    private func writeTable(
        _ slotNumbers: [Int], _ slots: [JournalFormat.Event], _ slotCount: Int
    ) throws(FileSystemFailure) {
        let file = try fileSystem.openToUpdate(tablePath)
        defer { fileSystem.close(file) }
        var start = 0
        while start < slots.count {
            // Neighbours go together.
            var end = start + 1
            while end < slots.count, slotNumbers[end] == slotNumbers[end - 1] + 1 { end += 1 }
            let offset = slotNumbers[start] * JournalFormat.slotSize
            try write(JournalFormat.bytes(of: slots[start..<end], at: offset), to: file, at: offset)
            start = end
        }
        try fileSystem.truncate(file, to: slotCount * JournalFormat.slotSize)
    }

    /// Empties the journal but for what was promised. Returns its new generation and length.
    private func beginJournal(
        _ journal: Journal, _ promises: [WriterNumber: EntryIndex.Reservation], slotCount: Int
    ) throws(FileSystemFailure) -> (generation: UInt64, end: Int) {
        let events = promises.map {
            JournalFormat.Event.reserve(writer: $0.key, name: $0.value.name, byteCount: $0.value.byteCount)
        }
        let head = JournalFormat.Head(
            generation: newGeneration(journal), bootNumber: fileSystem.bootNumber(), layout: options.layout.number,
            slotCount: slotCount)
        try fileSystem.truncate(journal.file, to: 0)
        let bytes = JournalFormat.bytes(of: events, at: JournalFormat.slotSize)
        try write(bytes, to: journal.file, at: JournalFormat.slotSize)
        try write(JournalFormat.bytes(of: head), to: journal.file, at: 0)
        return (head.generation, JournalFormat.slotSize + bytes.count)
    }

    /// A number that no other process, and no other cache of this one, gives: its parts are unique among those that live.
    private func newGeneration(_ journal: Journal) -> UInt64 {
        let stamp = nextStamp()
        let parts = [UInt64(bitPattern: stamp), UInt64(getpid()), UInt64(journal.file), journal.generation]
        var bytes: [UInt8] = []
        for part in parts { unsafe withUnsafeBytes(of: part) { unsafe bytes.append(contentsOf: $0) } }
        return unsafe Checksum.of(bytes.span.bytes)
    }

    func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(FileSystemFailure) {
        // Bytes are bytes: no padding can show.
        try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file, at: offset)
        }
    }
}

extension EntryFolder.State {
    /// So many events the journal takes before it is begun anew: a sixty-fourth of the limit, within reason.
    var journalCapacity: Int { min(max(byteLimit / JournalFormat.slotSize / 64, 8), 1_024) }

    /// How long the journal may get, in bytes: promises stay in it.
    func largestJournal(of index: EntryIndex) -> Int {
        (1 + journalCapacity + index.reservations.count) * JournalFormat.slotSize
    }

    /// What the limit counts: entries, promises, and the index's files, the journal at the length that it may get.
    var usedBytes: Int {
        guard let index else { return 0 }
        return index.byteCount + index.slotCount * JournalFormat.slotSize
            + max(journal?.end ?? 0, largestJournal(of: index))
    }

    /// The largest file that an entry may have: the limit, but for what the index takes even then.
    var largestEntry: Int { max(0, byteLimit - (3 + journalCapacity) * JournalFormat.slotSize) }
}
