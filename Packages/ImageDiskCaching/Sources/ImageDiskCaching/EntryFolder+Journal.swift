import ImageCore
import Synchronization

extension EntryFolder {
    var journalPath: String { "\(root)/entries.index" }

    /// Runs `body` while this process alone may change the folder, with an index that knows of all that others did before.
    ///
    /// - Parameter creating: whether to make the folder when it is not there. Otherwise `body` does not run then, and the result is nil.
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
        try catchUp(byteCount)
        try closeUp()
        flushUses()
        return try body()
    }

    /// Tells the journal what happened, then the index in memory. A failure leaves both as they were.
    func record(_ events: [JournalFormat.Event]) throws(FileSystemFailure) {
        if !fitsJournal(events.count) { try writeChanges() }
        try tell(events)
        state.withLock { state in
            for event in events { state.index?.apply(event) }
        }
    }

    private func tell(_ events: [JournalFormat.Event]) throws(FileSystemFailure) {
        guard !events.isEmpty, let journal = state.withLock({ $0.journal }) else { return }
        let bytes = JournalFormat.bytes(of: events, at: journal.end)
        do {
            try write(bytes, to: journal.file, at: journal.end)
        } catch {
            cutOff(journal)
            throw error
        }
        state.withLock { $0.journal?.end += bytes.count }
    }

    /// Tells the folder's index of the uses so far: the journal if they fit, and otherwise the table.
    private func flushUses() {
        let uses = state.withLock { state in
            state.isFlushRequested = false
            guard state.index != nil else { return [PendingUse]() }
            defer { state.uses = [] }
            return state.uses
        }
        do {
            if fitsJournal(uses.count) {
                try tell(uses.map { .use($0.name, stamp: $0.stamp) })
            } else {
                try writeChanges()
            }
        } catch {
            // They are known as long as this process lives.
        }
    }

    private func fitsJournal(_ eventCount: Int) -> Bool {
        state.withLock { state in
            guard let journal = state.journal, let index = state.index else { return true }
            return journal.end + eventCount * JournalFormat.slotSize <= state.largestJournal(of: index)
        }
    }

    /// What was written in part must not pass for damage.
    private func cutOff(_ journal: Journal) {
        do {
            try fileSystem.truncate(journal.file, to: journal.end)
        } catch {
            // Then it does, and the index is made anew from the entries.
        }
    }

    // MARK: The lock

    /// Takes the folder's lock and returns the length of the index; nil when there is no folder, and none is to be made.
    private func lockJournal(creating: Bool) throws(FileSystemFailure) -> Int? {
        for _ in 0..<8 {
            if try !openJournal(creating: creating) { return nil }
            guard let journal = state.withLock({ $0.journal }) else { continue }
            try fileSystem.waitForLock(journal.file)
            do {
                let status = try fileSystem.status(at: journalPath)
                if status.identity == journal.identity { return status.byteCount }
            } catch  where error.isAbsence {
                // Removed by another process. The next one to open it creates another.
            } catch {
                fileSystem.unlock(journal.file)
                throw error
            }
            forgetJournal()
        }
        throw .contended
    }

    /// Opens the file of the index unless it is open; false when there is no folder, and none is to be made.
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
        } catch  where error.isAbsence {
            guard creating else { return nil }
            try makeRoot()
            return try fileSystem.openToUpdate(journalPath)
        }
    }

    private func forgetJournal() {
        let journal = state.withLock { state in
            defer { state.journal = nil }
            state.index = nil
            state.settledFolders = []
            return state.journal
        }
        if let journal { fileSystem.close(journal.file) }
    }

    private func unlockJournal() {
        if let journal = state.withLock({ $0.journal }) { fileSystem.unlock(journal.file) }
    }
}
