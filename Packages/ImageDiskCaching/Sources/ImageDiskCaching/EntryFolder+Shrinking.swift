package import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// So many entries are evicted while the folder is locked, then others get their turn: a millisecond or two.
private let evictionsPerStep = 16

extension EntryFolder {
    /// Promises a writer space for a file, `byteCount` bytes in all, and makes it first.
    func reserve(_ byteCount: Int, for name: EntryName, writer: WriterNumber) throws(FileSystemFailure) {
        try withSpace(for: byteCount, name, writer) { () throws(FileSystemFailure) in
            try record([.reserve(writer: writer, name: name, byteCount: byteCount)])
        }
    }

    /// Makes space for a file in steps, and runs `body` when there is some, before anyone else can take it.
    ///
    /// - Parameter writer: who was promised some of it already, if anyone.
    func withSpace(
        for byteCount: Int, _ name: EntryName, _ writer: WriterNumber? = nil,
        _ body: () throws(FileSystemFailure) -> Void
    ) throws(FileSystemFailure) {
        while true {
            let isDone = try withJournal(creating: true) { () throws(FileSystemFailure) in
                guard try makeSpace(byteCount, name, writer) else { return false }
                try evictOld()
                try body()
                return true
            }
            if isDone == true { return }
        }
    }

    /// A step: true when there is space, false when another one has to make more of it.
    private func makeSpace(
        _ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?
    ) throws(FileSystemFailure) -> Bool {
        if isTight(byteCount, name, writer), state.withLock({ $0.index?[name] != nil }) {
            // Neighbours go only if the older entry's space is not enough.
            try removeFile(name)
        }
        if isTight(byteCount, name, writer), hasForeignReservations { try reclaim() }
        for _ in 0..<evictionsPerStep {
            guard let cause = try needsSpace(byteCount, name, writer) else { return true }
            guard let victim = state.withLock({ $0.index?.victim() }) else { return try dropVacancies() }
            try evict(victim, cause)
        }
        return false
    }

    /// The last resort: false when that has made space, if not enough.
    private func dropVacancies() throws(FileSystemFailure) -> Bool {
        guard let index = state.withLock({ $0.index }), index.slotCount > index.count else { throw .noSpace }
        try rewrite(index)
        return false
    }

    private func isTight(_ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?) -> Bool {
        state.withLock { $0.usedBytes + $0.growth(byteCount, name, writer) > $0.byteLimit }
    }

    /// Promises to other processes, which may be dead.
    private var hasForeignReservations: Bool {
        let own = UInt32(bitPattern: getpid())
        return state.withLock { $0.index?.reservations.keys.contains { $0.process != own } ?? false }
    }

    /// Why something has to go before a file is written; nil when nothing has to.
    private func needsSpace(
        _ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?
    ) throws(FileSystemFailure) -> DiskCacheStatistics.Cause? {
        if isTight(byteCount, name, writer) { return .limit }
        guard options.freeSpaceFloor > 0 else { return nil }
        let growth = state.withLock { $0.growth(byteCount, name, writer) }
        return try fileSystem.availableBytes(at: root) - growth < options.freeSpaceFloor ? .freeSpace : nil
    }

    /// Evicts what the age limit has overtaken, a few entries at a time, as far as they are next in line anyway.
    private func evictOld() throws(FileSystemFailure) {
        guard options.ageLimit != nil else { return }
        for _ in 0..<evictionsPerStep {
            guard let victim = state.withLock({ $0.index?.victim() }), isOld(victim) else { return }
            try evict(victim, .age)
        }
    }

    /// Evicts a few entries while their files take more than `byteCount` bytes, or by nil while the limit is exceeded. Nil when there
    /// was nothing to do.
    package func shrinkStep(to byteCount: Int? = nil) throws(FileSystemFailure) -> DiskCacheRemoval? {
        let removal = try withJournal { () throws(FileSystemFailure) in
            var removal = DiskCacheRemoval()
            for _ in 0..<evictionsPerStep {
                let victim = state.withLock { $0.exceeds(byteCount) ? $0.index?.victim() : nil }
                guard let victim else { break }
                try evict(victim, byteCount == nil ? .limit : .trim)
                removal.count(victim.byteCount)
            }
            return removal
        }
        if let removal, removal.entryCount > 0 { return removal }
        try settleRemovals()
        return nil
    }

    /// The entries that were not used for `age` or longer, a few together, and the time that tells.
    package func unused(
        for age: Duration
    ) throws(FileSystemFailure) -> (steps: [ArraySlice<EntryName>], deadline: Int64) {
        let deadline = Self.nanoseconds(now()) - age.inNanoseconds
        let names = try withJournal { state.withLock { $0.index?.names(unusedSince: deadline) ?? [] } } ?? []
        let steps = stride(from: 0, to: names.count, by: evictionsPerStep).map {
            names[$0..<min($0 + evictionsPerStep, names.count)]
        }
        return (steps, deadline)
    }

    /// Evicts a few entries, unless they were used since.
    package func removeStep(
        _ names: ArraySlice<EntryName>, unusedSince deadline: Int64
    ) throws(FileSystemFailure) -> DiskCacheRemoval {
        try withJournal { () throws(FileSystemFailure) in
            var removal = DiskCacheRemoval()
            for name in names {
                guard let record = state.withLock({ $0.index?[name] }), record.stamp < deadline else { continue }
                try evict(record, .age)
                removal.count(record.byteCount)
            }
            return removal
        } ?? DiskCacheRemoval()
    }

    func evict(_ victim: EntryIndex.Record, _ cause: DiskCacheStatistics.Cause) throws(FileSystemFailure) {
        try removeFile(victim.name)
        state.withLock { $0.statistics.count(victim.byteCount, cause) }
    }

    /// Unlinks an entry's file; that it is gone already is as good. Only while the folder is locked.
    func removeFile(_ name: EntryName) throws(FileSystemFailure) {
        do {
            try fileSystem.remove(path(name))
            noteRemoval(from: home(of: name))
        } catch  where error.isAbsence {
            // As good.
        }
        if state.withLock({ $0.index?[name] != nil }) { try record([.remove(name)]) }
    }
}

extension EntryFolder.State {
    /// How much more the folder takes with a file, in the index too: a promise, and a slot if none is vacant.
    fileprivate func growth(_ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?) -> Int {
        guard let index else { return byteCount }
        let slot = index.slot(for: name) == index.slotCount ? JournalFormat.slotSize : 0
        let promised = writer.flatMap { index.reservations[$0]?.byteCount }
        return byteCount + slot - (promised ?? -JournalFormat.slotSize)
    }

    fileprivate func exceeds(_ byteCount: Int?) -> Bool {
        if let byteCount { (index?.byteCount ?? 0) > max(0, byteCount) } else { usedBytes > byteLimit }
    }
}
