import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The number of entries that are moved to other slots while the folder is locked.
private let movesPerStep = 64

extension EntryFolder {
    /// Moves a few entries to vacant slots if more slots are vacant than used.
    ///
    /// The table becomes shorter when all slots after the last entry are vacant and the changes are written.
    func compact() throws(FileSystemFailure) {
        let moves = state.withLock { state -> [(record: EntryIndex.Record, slot: Int)]? in
            guard let index = state.index, index.slotCount > 2 * index.count + state.journalCapacity else {
                return nil
            }
            return index.moves(min(movesPerStep, state.journalCapacity))
        }
        guard let moves else { return }
        if moves.isEmpty { return try writeChanges() }
        try record(moves.map { .insert($0.record, slot: $0.slot, releasing: nil) })
    }

    /// Writes an index without vacant slots, and replaces the one in memory.
    func rewrite(_ old: EntryIndex) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        var index = EntryIndex(capacity: old.count)
        for (slot, record) in old.records.enumerated() { index.insert(record, at: slot) }
        for (writer, reservation) in old.reservations {
            index.reserve(reservation.byteCount, for: reservation.name, writer: writer)
        }
        index.arrange(by: options.policy)
        index.takeChanges()
        state.withLock { $0.index = nil }
        // If this process ends before it writes the head, the next process rebuilds the index.
        try fileSystem.truncate(journal.file, to: 0)
        try writeTable(Array(0..<index.slotCount), index.slots(at: 0..<index.slotCount), index.slotCount)
        let (generation, end) = try beginJournal(journal, index.reservations, slotCount: index.slotCount)
        state.withLock { $0.adopt(index, generation, end: end) }
    }

    /// Writes the changed slots to the table and restarts the journal.
    ///
    /// The number of written slots depends on the events and uses since the last call, not on the number of entries. If
    /// the process ends meanwhile, the journal contains events that the table has too. Applying them again is harmless.
    func writeChanges() throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        // Uses during the write count as new changes.
        let (slotNumbers, slots, reservations, slotCount) = state.withLock { state in
            let slotNumbers = state.index?.takeChanges() ?? []
            let slotCount = state.index?.usedSlotCount ?? 0
            let slots = state.index?.slots(at: slotNumbers.prefix { $0 < slotCount }) ?? []
            return (slotNumbers, slots, state.index?.reservations ?? [:], slotCount)
        }
        do {
            try writeTable(slotNumbers, slots, slotCount)
            let (generation, end) = try beginJournal(journal, reservations, slotCount: slotCount)
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

    /// Writes slots to the table, and truncates it after `slotCount`. The slot numbers are sorted.
    private func writeTable(
        _ slotNumbers: [Int], _ slots: [JournalFormat.Event], _ slotCount: Int
    ) throws(FileSystemFailure) {
        let file = try fileSystem.openToUpdate(tablePath)
        defer { fileSystem.close(file) }
        var start = 0
        while start < slots.count {
            // Adjacent slots are written together.
            var end = start + 1
            while end < slots.count, slotNumbers[end] == slotNumbers[end - 1] + 1 { end += 1 }
            let offset = slotNumbers[start] * JournalFormat.slotSize
            try write(JournalFormat.bytes(of: slots[start..<end], at: offset), to: file, at: offset)
            start = end
        }
        try fileSystem.truncate(file, to: slotCount * JournalFormat.slotSize)
    }

    /// Removes all events except reservations from the journal. Returns its new generation and length.
    private func beginJournal(
        _ journal: Journal, _ reservations: [WriterNumber: EntryIndex.Reservation], slotCount: Int
    ) throws(FileSystemFailure) -> (generation: UInt64, end: Int) {
        let events = reservations.map {
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

    /// Returns a number that no other living process and no other cache of this process uses.
    private func newGeneration(_ journal: Journal) -> UInt64 {
        let stamp = nextStamp()
        let parts = [UInt64(bitPattern: stamp), UInt64(getpid()), UInt64(journal.file), journal.generation]
        var bytes: [UInt8] = []
        for part in parts { unsafe withUnsafeBytes(of: part) { unsafe bytes.append(contentsOf: $0) } }
        return unsafe Checksum.of(bytes.span.bytes)
    }

    func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(FileSystemFailure) {
        // A byte has no padding.
        try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file, at: offset)
        }
    }
}

extension EntryFolder.State {
    /// The number of events that fit into the journal before it is restarted: a 64th of the limit, but 8 to 1,024.
    var journalCapacity: Int { min(max(byteLimit / JournalFormat.slotSize / 64, 8), 1_024) }

    /// The greatest length of the journal, in bytes, including the reservations that stay in it.
    func largestJournal(of index: EntryIndex) -> Int {
        (1 + journalCapacity + index.reservations.count) * JournalFormat.slotSize
    }

    /// The number of bytes that count towards the limit: entries, reservations, the table, and the journal at its
    /// greatest length.
    var usedBytes: Int {
        guard let index else { return 0 }
        return index.byteCount + index.slotCount * JournalFormat.slotSize
            + max(journal?.end ?? 0, largestJournal(of: index))
    }

    /// The length of the largest file that an entry can have: the limit without the smallest index.
    var largestEntry: Int { max(0, byteLimit - (3 + journalCapacity) * JournalFormat.slotSize) }
}
