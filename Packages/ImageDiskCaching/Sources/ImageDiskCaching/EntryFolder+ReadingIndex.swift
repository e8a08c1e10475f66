import ImageCore
import Synchronization

/// The number of slots of the table that are compared at a time.
private let slotsPerRead = 1_024

extension EntryFolder {
    var tablePath: String { "\(root)/entries.table" }

    /// Updates the index in memory with the changes of other processes, or loads it.
    ///
    /// Rebuilds it from the entries if a file is damaged or was written before the last start of the system. A power
    /// cut can remove any part of the files.
    func updateIndex(_ byteCount: Int) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        let bytes = try read(journal.file, 0..<min(byteCount, JournalFormat.slotSize))
        guard let head = unsafe JournalFormat.head(bytes.span.bytes) else { return try rebuild(journal, byteCount) }
        let isKnown = head.generation == journal.generation && state.withLock { $0.index != nil }
        if isKnown, journal.end == byteCount { return }
        var isDone = isKnown ? try applyNewEvents(journal, byteCount) : try refresh(journal, head, byteCount)
        if !isDone, !isKnown { isDone = try load(journal, head, byteCount) }
        if !isDone { try rebuild(journal, byteCount) }
    }

    /// Applies the events that were added since the last call. Returns false if one is damaged.
    private func applyNewEvents(_ journal: Journal, _ byteCount: Int) throws(FileSystemFailure) -> Bool {
        guard let bytes = try events(journal, from: journal.end, byteCount) else { return false }
        return state.withLock { state in
            guard var index = state.index.take() else { return false }
            let isIntact = replay(bytes, at: journal.end, into: &index)
            state.adopt(index, journal.generation, end: byteCount)
            return isIntact
        }
    }

    private func isCurrent(_ head: JournalFormat.Head) -> Bool {
        head.bootNumber == fileSystem.bootNumber() && head.layout == options.layout.number
    }

    /// Updates the index with the slots that another process changed in the table.
    ///
    /// Returns false if the index is not loaded, if a part of the files is missing or damaged, or if entries have other
    /// slots.
    private func refresh(
        _ journal: Journal, _ head: JournalFormat.Head, _ byteCount: Int
    ) throws(FileSystemFailure) -> Bool {
        guard isCurrent(head), var index = state.withLock({ $0.index.take() }),
            let bytes = try events(journal, from: JournalFormat.slotSize, byteCount),
            let slots = try differences(from: index, head.slotCount),
            index.update(with: slots, slotCount: head.slotCount),
            replay(bytes, at: JournalFormat.slotSize, into: &index)
        else { return false }
        state.withLock { $0.adopt(index, head.generation, end: byteCount) }
        return true
    }

    /// Returns the slots of the table that differ from an index. Returns nil if one is missing or damaged.
    private func differences(
        from index: EntryIndex, _ slotCount: Int
    ) throws(FileSystemFailure) -> [JournalFormat.Event]? {
        guard let file = try openTable() else { return slotCount == 0 ? [] : nil }
        defer { fileSystem.close(file) }
        var found: [JournalFormat.Event] = []
        let correctedTime = timeCorrection()
        for start in stride(from: 0, to: slotCount, by: slotsPerRead) {
            let slots = start..<min(start + slotsPerRead, slotCount)
            let offset = start * JournalFormat.slotSize
            let bytes = try read(file, offset..<slots.upperBound * JournalFormat.slotSize)
            guard bytes.count == slots.count * JournalFormat.slotSize else { return nil }
            for slot in slots {
                let slot = (slot - start) * JournalFormat.slotSize
                let slotBytes = unsafe bytes.span.bytes.extracting(slot..<slot + JournalFormat.slotSize)
                if slot < index.slotCount, JournalFormat.slot(slotBytes, matches: index.record(at: slot)) { continue }
                guard let event = JournalFormat.event(slotBytes, at: offset + slot) else { return nil }
                found.append(event.correctingTime(correctedTime))
            }
        }
        return found
    }

    /// Loads the table and applies the events of the journal. Returns false if a part is missing or damaged.
    private func load(
        _ journal: Journal, _ head: JournalFormat.Head, _ byteCount: Int
    ) throws(FileSystemFailure) -> Bool {
        guard isCurrent(head) else { return false }
        var slots = try readTable()
        guard slots.count / JournalFormat.slotSize >= head.slotCount,
            let bytes = try events(journal, from: JournalFormat.slotSize, byteCount)
        else { return false }
        let slotCount = slots.count / JournalFormat.slotSize
        // A process that ended before it restarted the journal left more slots. The journal contains these changes.
        slots.removeLast(slots.count - head.slotCount * JournalFormat.slotSize)
        var index = EntryIndex(capacity: head.slotCount)
        guard replay(slots, at: 0, into: &index) else { return false }
        index.takeChanges()
        guard replay(bytes, at: JournalFormat.slotSize, into: &index), slotCount <= index.slotCount else {
            return false
        }
        index.arrange(by: options.policy)
        state.withLock { $0.adopt(index, head.generation, end: byteCount) }
        return true
    }

    /// Returns the slots of the journal from an offset on. Returns nil if the last one is incomplete.
    private func events(
        _ journal: Journal, from start: Int, _ byteCount: Int
    ) throws(FileSystemFailure) -> [UInt8]? {
        guard start <= byteCount, (byteCount - start) % JournalFormat.slotSize == 0 else { return nil }
        let bytes = try read(journal.file, start..<byteCount)
        return bytes.count == byteCount - start ? bytes : nil
    }

    /// Returns all complete slots of the table, or an empty array if the file is missing.
    private func readTable() throws(FileSystemFailure) -> [UInt8] {
        guard let file = try openTable() else { return [] }
        defer { fileSystem.close(file) }
        let byteCount = try fileSystem.status(of: file).byteCount
        return try read(file, 0..<byteCount / JournalFormat.slotSize * JournalFormat.slotSize)
    }

    /// Opens the table for reading. Returns nil if the file is missing.
    private func openTable() throws(FileSystemFailure) -> Int32? {
        do {
            return try fileSystem.openToRead(tablePath)
        } catch  where error.isNotFound || error.isForeign {
            return nil
        }
    }

    /// Builds the index from the entries. Uses the times of use in the old index as far as they are readable.
    private func rebuild(_ journal: Journal, _ byteCount: Int) throws(FileSystemFailure) {
        var old = EntryIndex()
        _ = replay(try readTable(), at: 0, into: &old)
        if byteCount > JournalFormat.slotSize {
            let bytes = try read(journal.file, JournalFormat.slotSize..<byteCount)
            _ = replay(bytes, at: JournalFormat.slotSize, into: &old)
        }
        try rewrite(try scan(old))
    }

    /// Applies all intact events. Returns false if one is damaged.
    private func replay(_ bytes: [UInt8], at offset: Int, into index: inout EntryIndex) -> Bool {
        var isIntact = true
        let correctedTime = timeCorrection()
        let slot = JournalFormat.slotSize
        for start in stride(from: 0, to: bytes.count - slot + 1, by: slot) {
            let event = unsafe JournalFormat.event(
                bytes.span.bytes.extracting(start..<start + slot), at: offset + start)
            if let event, index.apply(event.correctingTime(correctedTime)) { continue }
            isIntact = false
            // The following slots of the table keep their numbers.
            _ = index.insertVacancy(at: (offset + start) / slot)
        }
        return isIntact
    }

    func read(_ file: Int32, _ range: Range<Int>) throws(FileSystemFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var result: Result<Int, FileSystemFailure> = .success(0)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            result = Result { () throws(FileSystemFailure) in
                try unsafe fileSystem.read(file, into: buffer, at: range.lowerBound)
            }
        }
        bytes.removeLast(range.count - (try result.get()))
        return bytes
    }
}

extension EntryFolder.State {
    /// Replaces the index and applies the uses that it doesn't contain yet.
    mutating func adopt(_ index: EntryIndex, _ generation: UInt64, end: Int) {
        lastStamp = max(lastStamp, index.newestStamp)
        self.index = index
        journal?.generation = generation
        journal?.end = end
        for position in uses.indices {
            // If the clock doesn't advance or was set back, the time could be before those in the index.
            if uses[position].isEarly { uses[position].stamp = nextStamp(uses[position].stamp) }
            uses[position].isEarly = false
            self.index?.use(uses[position].name, stamp: uses[position].stamp)
        }
    }
}
