package import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The number of entries that are evicted while the folder is locked, which takes one or two milliseconds.
private let evictionsPerStep = 16

extension EntryFolder {
    /// Reserves space for a file of `byteCount` bytes in total. Evicts other entries first if necessary.
    func reserve(_ byteCount: Int, for name: EntryName, writer: WriterNumber) throws(FileSystemFailure) {
        try withSpace(for: byteCount, name, writer) { () throws(FileSystemFailure) in
            try record([.reserve(writer: writer, name: name, byteCount: byteCount)])
        }
    }

    /// Evicts entries in steps until a file fits, then runs `body` before the folder is unlocked.
    ///
    /// - Parameter writer: A writer that has already reserved a part of the space.
    func withSpace(
        for byteCount: Int, _ name: EntryName, _ writer: WriterNumber? = nil,
        _ body: () throws(FileSystemFailure) -> Void
    ) throws(FileSystemFailure) {
        while true {
            let isDone = try withJournal(creating: true) { () throws(FileSystemFailure) in
                guard try makeSpace(byteCount, name, writer) else { return false }
                try evictExpired()
                try body()
                return true
            }
            if isDone == true { return }
        }
    }

    /// Evicts a few entries. Returns true if the file fits.
    private func makeSpace(
        _ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?
    ) throws(FileSystemFailure) -> Bool {
        if exceedsLimit(byteCount, name, writer), state.withLock({ $0.index?[name] != nil }) {
            // Other entries are evicted only if the space of the older entry is not enough.
            try removeFile(name)
        }
        if exceedsLimit(byteCount, name, writer), hasForeignReservations { try reclaim() }
        for _ in 0..<evictionsPerStep {
            guard let cause = try evictionCause(byteCount, name, writer) else { return true }
            guard let victim = state.withLock({ $0.index?.victim() }) else { return try dropVacancies() }
            try evict(victim, cause)
        }
        return false
    }

    /// Removes the vacant slots of the index as a last resort. Throws if there are none; otherwise returns false.
    private func dropVacancies() throws(FileSystemFailure) -> Bool {
        guard let index = state.withLock({ $0.index }), index.slotCount > index.count else { throw .noSpace }
        try rewrite(index)
        return false
    }

    private func exceedsLimit(_ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?) -> Bool {
        state.withLock { $0.usedBytes + $0.growth(byteCount, name, writer) > $0.byteLimit }
    }

    /// Whether other processes have reservations. These processes may have ended.
    private var hasForeignReservations: Bool {
        let own = UInt32(bitPattern: getpid())
        return state.withLock { $0.index?.reservations.keys.contains { $0.process != own } ?? false }
    }

    /// Returns the reason to evict an entry before a file is written. Returns nil if the file fits.
    private func evictionCause(
        _ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?
    ) throws(FileSystemFailure) -> DiskCacheStatistics.Cause? {
        if exceedsLimit(byteCount, name, writer) { return .limit }
        guard options.minimumFreeSpace > 0 else { return nil }
        let growth = state.withLock { $0.growth(byteCount, name, writer) }
        return try fileSystem.availableBytes(at: root) - growth < options.minimumFreeSpace ? .freeSpace : nil
    }

    /// Evicts a few expired entries if the policy considers them next.
    private func evictExpired() throws(FileSystemFailure) {
        guard options.ageLimit != nil else { return }
        for _ in 0..<evictionsPerStep {
            guard let victim = state.withLock({ $0.index?.victim() }), isExpired(victim) else { return }
            try evict(victim, .age)
        }
    }

    /// Evicts a few entries if their files exceed `byteCount` bytes, or the cache its limit if `byteCount` is nil.
    ///
    /// Returns nil if there was nothing to evict.
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
        try synchronizeRemovals()
        return nil
    }

    /// Returns the names of the entries that were not used for `age`, in groups, and the corresponding deadline.
    package func unused(
        for age: Duration
    ) throws(FileSystemFailure) -> (steps: [ArraySlice<EntryName>], deadline: Int64) {
        let deadline = Self.nanoseconds(now(), minus: age)
        let names = try withJournal { state.withLock { $0.index?.names(unusedSince: deadline) ?? [] } } ?? []
        let steps = stride(from: 0, to: names.count, by: evictionsPerStep).map {
            names[$0..<min($0 + evictionsPerStep, names.count)]
        }
        return (steps, deadline)
    }

    /// Evicts a few entries unless they were used in the meantime.
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

    /// Removes the file of an entry. A missing file is not a failure. Requires the lock of the folder.
    func removeFile(_ name: EntryName) throws(FileSystemFailure) {
        do {
            try fileSystem.remove(path(name))
            noteRemoval(from: parentFolder(of: name))
        } catch  where error.isNotFound {
            // The file was already removed.
        }
        if state.withLock({ $0.index?[name] != nil }) { try record([.remove(name)]) }
    }
}

extension EntryFolder.State {
    /// Returns the number of bytes by which a file makes the folder larger.
    ///
    /// Includes a slot of the index if none is vacant, and the slot of the reservation.
    fileprivate func growth(_ byteCount: Int, _ name: EntryName, _ writer: WriterNumber?) -> Int {
        guard let index else { return byteCount }
        let slot = index.slot(for: name) == index.slotCount ? JournalFormat.slotSize : 0
        let reserved = writer.flatMap { index.reservations[$0]?.byteCount }
        return byteCount + slot - (reserved ?? -JournalFormat.slotSize)
    }

    fileprivate func exceeds(_ byteCount: Int?) -> Bool {
        if let byteCount { (index?.byteCount ?? 0) > max(0, byteCount) } else { usedBytes > byteLimit }
    }
}
