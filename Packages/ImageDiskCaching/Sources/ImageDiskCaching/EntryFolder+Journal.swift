import ImageCore
import Synchronization

extension EntryFolder {
    var journalPath: String { "\(root)/entries.index" }

    /// Runs `body` while the folder is locked and the index contains the changes of all other processes.
    ///
    /// - Parameter creating: Whether to create the folder if it is missing. If false, `body` doesn't run and the result
    ///   is nil.
    func withJournal<Result>(
        creating: Bool = false, _ body: () throws(FileSystemFailure) -> Result
    ) throws(FileSystemFailure) -> Result? {
        guard let byteCount = try lockJournal(creating: creating) else {
            state.withLock { state in
                state.index = nil
                state.uses = []
            }
            return nil
        }
        defer { unlockJournal() }
        try updateIndex(byteCount)
        let time = Self.nanoseconds(now())
        state.withLock { $0.correctTimes(time) }
        try compact()
        flushUses()
        return try body()
    }

    /// Appends events to the journal, then applies them to the index in memory. A failure changes neither.
    func record(_ events: [JournalFormat.Event]) throws(FileSystemFailure) {
        if !fitsInJournal(events.count) { try writeChanges() }
        try appendToJournal(events)
        state.withLock { state in
            for event in events { state.index?.apply(event) }
        }
    }

    private func appendToJournal(_ events: [JournalFormat.Event]) throws(FileSystemFailure) {
        guard !events.isEmpty, let journal = state.withLock({ $0.journal }) else { return }
        let bytes = JournalFormat.bytes(of: events, at: journal.end)
        do {
            try write(bytes, to: journal.file, at: journal.end)
        } catch {
            discardPartialWrite(journal)
            throw error
        }
        state.withLock { $0.journal?.end += bytes.count }
    }

    /// Writes the pending uses to the journal if they fit, otherwise to the table, as well as corrected times.
    private func flushUses() {
        let (uses, isCorrected) = state.withLock { state in
            state.isFlushRequested = false
            guard state.index != nil else { return ([PendingUse](), false) }
            defer { (state.uses, state.hasCorrectedTimes) = ([], false) }
            return (state.uses, state.hasCorrectedTimes)
        }
        do {
            if !isCorrected, fitsInJournal(uses.count) {
                try appendToJournal(uses.map { .use($0.name, stamp: $0.stamp) })
            } else {
                try writeChanges()
            }
        } catch {
            // The index in memory still contains them.
        }
    }

    private func fitsInJournal(_ eventCount: Int) -> Bool {
        state.withLock { state in
            guard let journal = state.journal, let index = state.index else { return true }
            return journal.end + eventCount * JournalFormat.slotSize <= state.largestJournal(of: index)
        }
    }

    /// Removes a partly written event, so that it isn't mistaken for damage.
    private func discardPartialWrite(_ journal: Journal) {
        do {
            try fileSystem.truncate(journal.file, to: journal.end)
        } catch {
            // The next reader finds the damage and rebuilds the index from the entries.
        }
    }

    // MARK: Lock

    /// Locks the folder and returns the length of the journal. Returns nil if the folder is missing and `creating` is
    /// false.
    private func lockJournal(creating: Bool) throws(FileSystemFailure) -> Int? {
        for _ in 0..<8 {
            if try !openJournal(creating: creating) { return nil }
            guard let journal = state.withLock({ $0.journal }) else { continue }
            try fileSystem.waitForLock(journal.file)
            do {
                let status = try fileSystem.status(at: journalPath)
                if status.identity == journal.identity { return status.byteCount }
            } catch  where error.isNotFound {
                // Another process removed the file. The next process that opens it creates a new one.
            } catch {
                fileSystem.unlock(journal.file)
                throw error
            }
            forgetJournal()
        }
        throw .contended
    }

    /// Opens the journal if necessary. Returns false if the folder is missing and `creating` is false.
    private func openJournal(creating: Bool) throws(FileSystemFailure) -> Bool {
        if state.withLock({ $0.journal != nil }) { return true }
        guard let file = try openIndexFile(creating: creating) else { return false }
        do {
            let journal = Journal(file: file, identity: try fileSystem.status(of: file).identity, generation: 0, end: 0)
            state.withLock { $0.journal = journal }
            return true
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    private func openIndexFile(creating: Bool) throws(FileSystemFailure) -> Int32? {
        do {
            return try fileSystem.openToUpdate(journalPath)
        } catch  where error.isNotFound {
            guard creating else { return nil }
            try makeRoot()
            return try fileSystem.openToUpdate(journalPath)
        }
    }

    private func forgetJournal() {
        let journal = state.withLock { state in
            defer { state.journal = nil }
            state.index = nil
            state.synchronizedFolders = []
            return state.journal
        }
        if let journal { fileSystem.close(journal.file) }
    }

    private func unlockJournal() {
        if let journal = state.withLock({ $0.journal }) { fileSystem.unlock(journal.file) }
    }
}
