import ImageCore
import Synchronization

/// So many slots of the table are compared at a time.
private let tablePiece = 1_024

extension EntryFolder {
    var tablePath: String { "\(root)/entries.table" }

    /// Takes up what happened since the last time, or all of it. What is damaged or from before the machine's last start, when
    /// anything may be missing, is made anew from the entries.
    func catchUp(_ byteCount: Int) throws(FileSystemFailure) {
        guard let journal = state.withLock({ $0.journal }) else { return }
        let bytes = try read(journal.file, 0..<min(byteCount, JournalFormat.slotSize))
        guard let head = unsafe JournalFormat.head(bytes.span.bytes) else { return try rebuild(journal, byteCount) }
        let isKnown = head.generation == journal.generation && state.withLock { $0.index != nil }
        if isKnown, journal.end == byteCount { return }
        var isDone = isKnown ? try follow(journal, byteCount) : try refresh(journal, head, byteCount)
        if !isDone, !isKnown { isDone = try load(journal, head, byteCount) }
        if !isDone { try rebuild(journal, byteCount) }
    }

    /// Follows the events that came since the last time; false when any of them is damaged.
    private func follow(_ journal: Journal, _ byteCount: Int) throws(FileSystemFailure) -> Bool {
        guard let bytes = try events(journal, from: journal.end, byteCount) else { return false }
        return state.withLock { state in
            guard var index = state.index.take() else { return false }
            let isWhole = replay(bytes, at: journal.end, into: &index)
            state.adopt(index, journal.generation, end: byteCount)
            return isWhole
        }
    }

    private func isOurs(_ head: JournalFormat.Head) -> Bool {
        head.bootNumber == fileSystem.bootNumber() && head.layout == options.layout.number
    }

    /// Takes up what another process has written into the table since: that is as much as it had space for in its journal, mostly.
    /// False when what differs does not tell all, or anything is missing or damaged, or nothing was known before.
    private func refresh(
        _ journal: Journal, _ head: JournalFormat.Head, _ byteCount: Int
    ) throws(FileSystemFailure) -> Bool {
        guard isOurs(head), var index = state.withLock({ $0.index.take() }),
            let bytes = try events(journal, from: JournalFormat.slotSize, byteCount),
            let slots = try differences(from: index, head.slotCount),
            index.follow(slots, slotCount: head.slotCount),
            replay(bytes, at: JournalFormat.slotSize, into: &index)
        else { return false }
        state.withLock { $0.adopt(index, head.generation, end: byteCount) }
        return true
    }

    /// The slots of the table that tell something else than an index does; nil when any is missing or damaged.
    private func differences(
        from index: EntryIndex, _ slotCount: Int
    ) throws(FileSystemFailure) -> [JournalFormat.Event]? {
        guard let file = try openTable() else { return slotCount == 0 ? [] : nil }
        defer { fileSystem.close(file) }
        var found: [JournalFormat.Event] = []
        let plausible = plausibility()
        for start in stride(from: 0, to: slotCount, by: tablePiece) {
            let slots = start..<min(start + tablePiece, slotCount)
            let offset = start * JournalFormat.slotSize
            let bytes = try read(file, offset..<slots.upperBound * JournalFormat.slotSize)
            guard bytes.count == slots.count * JournalFormat.slotSize else { return nil }
            for slot in slots {
                let slot = (slot - start) * JournalFormat.slotSize
                let slotBytes = unsafe bytes.span.bytes.extracting(slot..<slot + JournalFormat.slotSize)
                if slot < index.slotCount, JournalFormat.tells(slotBytes, of: index.record(at: slot)) { continue }
                guard let event = JournalFormat.event(slotBytes, at: offset + slot) else { return nil }
                found.append(event.stamped(plausible))
            }
        }
        return found
    }

    /// Reads the table, and follows the events since; false when anything is missing or damaged.
    private func load(
        _ journal: Journal, _ head: JournalFormat.Head, _ byteCount: Int
    ) throws(FileSystemFailure) -> Bool {
        guard isOurs(head) else { return false }
        var slots = try readTable()
        guard slots.count / JournalFormat.slotSize >= head.slotCount,
            let bytes = try events(journal, from: JournalFormat.slotSize, byteCount)
        else { return false }
        let slotCount = slots.count / JournalFormat.slotSize
        // Others behind them are of somebody who died before the journal was begun anew: its events tell of them.
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

    /// The slots of the journal from an offset on; nil when the last of them is not whole.
    private func events(
        _ journal: Journal, from start: Int, _ byteCount: Int
    ) throws(FileSystemFailure) -> [UInt8]? {
        guard start <= byteCount, (byteCount - start) % JournalFormat.slotSize == 0 else { return nil }
        let bytes = try read(journal.file, start..<byteCount)
        return bytes.count == byteCount - start ? bytes : nil
    }

    /// All whole slots of the table; none when it is not there.
    private func readTable() throws(FileSystemFailure) -> [UInt8] {
        guard let file = try openTable() else { return [] }
        defer { fileSystem.close(file) }
        let byteCount = try fileSystem.status(of: file).byteCount
        return try read(file, 0..<byteCount / JournalFormat.slotSize * JournalFormat.slotSize)
    }

    /// Nil when it is not there.
    private func openTable() throws(FileSystemFailure) -> Int32? {
        do {
            return try fileSystem.openToRead(tablePath)
        } catch  where error.isAbsence || error.isForeign {
            return nil
        }
    }

    /// Makes the index from the entries themselves, and takes from what is there of the old one when they were used last.
    private func rebuild(_ journal: Journal, _ byteCount: Int) throws(FileSystemFailure) {
        var old = EntryIndex()
        _ = replay(try readTable(), at: 0, into: &old)
        if byteCount > JournalFormat.slotSize {
            let bytes = try read(journal.file, JournalFormat.slotSize..<byteCount)
            _ = replay(bytes, at: JournalFormat.slotSize, into: &old)
        }
        try rewrite(try scan(old))
    }

    /// Follows events, but for the damaged ones; false when there are any.
    private func replay(_ bytes: [UInt8], at offset: Int, into index: inout EntryIndex) -> Bool {
        var isWhole = true
        let plausible = plausibility()
        let slot = JournalFormat.slotSize
        for start in stride(from: 0, to: bytes.count - slot + 1, by: slot) {
            let event = unsafe JournalFormat.event(
                bytes.span.bytes.extracting(start..<start + slot), at: offset + start)
            if let event, index.apply(event.stamped(plausible)) { continue }
            isWhole = false
            // Those behind it in the table keep their slots.
            _ = index.insertVacancy(at: (offset + start) / slot)
        }
        return isWhole
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
    /// Takes an index for what is in the folder now.
    mutating func adopt(_ index: EntryIndex, _ generation: UInt64, end: Int) {
        lastStamp = max(lastStamp, index.newestStamp)
        self.index = index
        journal?.generation = generation
        journal?.end = end
        for position in uses.indices {
            // Where the clock stands still, or went back, its time would be an earlier one than those of the index.
            if uses[position].isEarly { uses[position].stamp = nextStamp(uses[position].stamp) }
            uses[position].isEarly = false
            self.index?.use(uses[position].name, stamp: uses[position].stamp)
        }
    }
}
