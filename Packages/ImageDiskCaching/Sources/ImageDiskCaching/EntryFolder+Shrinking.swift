import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// So many entries are evicted while the folder is locked, then others get their turn: a millisecond or two.
private let evictionsPerStep = 16

extension EntryFolder {
    /// Promises a writer room for a file, `byteCount` bytes in all, and makes it first, in steps.
    func reserve(_ byteCount: Int, for name: EntryName, writer: UInt64) throws(FileSystemFailure) {
        while true {
            let isDone = try withJournal(creating: true) { () throws(FileSystemFailure) in
                try reserveStep(byteCount, for: name, writer: writer)
            }
            if isDone == true { return }
        }
    }

    /// True when the room was promised; false when another step has to make more of it.
    private func reserveStep(
        _ byteCount: Int, for name: EntryName, writer: UInt64
    ) throws(FileSystemFailure) -> Bool {
        let promised = state.withLock { $0.index?.reservations[writer]?.byteCount ?? 0 }
        let more = byteCount - promised
        if isTight(more), state.withLock({ $0.index?[name] != nil }) {
            // Neighbours go only if the older entry's room is not enough.
            try removeFile(name)
        }
        if isTight(more), hasForeignReservations { try reclaim() }
        for _ in 0..<evictionsPerStep {
            guard let cause = try needsRoom(more) else {
                try evictOld()
                try record([.reserve(writer: writer, name: name, byteCount: byteCount)])
                return true
            }
            guard let victim = state.withLock({ $0.index?.victim() }) else { throw .noRoom }
            try evict(victim, cause)
        }
        return false
    }

    private func isTight(_ byteCount: Int) -> Bool {
        state.withLock { ($0.index?.byteCount ?? 0) + byteCount > $0.byteLimit }
    }

    /// Promises to other processes, which may be dead.
    private var hasForeignReservations: Bool {
        let own = UInt64(UInt32(bitPattern: getpid()))
        return state.withLock { $0.index?.reservations.keys.contains { $0 >> 32 != own } ?? false }
    }

    /// Why something has to go before so many bytes more are written; nil when nothing has to.
    private func needsRoom(_ byteCount: Int) throws(FileSystemFailure) -> DiskCacheStatistics.Cause? {
        if isTight(byteCount) { return .limit }
        guard options.freeSpaceFloor > 0 else { return nil }
        let available = try fileSystem.availableBytes(at: root)
        return available - byteCount < options.freeSpaceFloor ? .freeSpace : nil
    }

    /// Evicts what the age limit has overtaken, a few entries at a time, as far as they are next in line anyway.
    private func evictOld() throws(FileSystemFailure) {
        guard options.ageLimit != nil else { return }
        for _ in 0..<evictionsPerStep {
            guard let victim = state.withLock({ $0.index?.victim() }), isOld(victim) else { return }
            try evict(victim, .age)
        }
    }

    /// Evicts a few entries while more than `byteCount` bytes are left. Nil when there was nothing to do.
    package func shrinkStep(
        to byteCount: Int, cause: DiskCacheStatistics.Cause
    ) throws(FileSystemFailure) -> DiskCacheRemoval? {
        let limit = max(0, byteCount)
        let removal = try withJournal { () throws(FileSystemFailure) in
            var removal = DiskCacheRemoval()
            for _ in 0..<evictionsPerStep {
                let victim = state.withLock { ($0.index?.byteCount ?? 0) > limit ? $0.index?.victim() : nil }
                guard let victim else { break }
                try evict(victim, cause)
                removal.count(victim.byteCount)
            }
            return removal
        }
        return removal?.entryCount == 0 ? nil : removal
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
        } catch  where error.isAbsence {
            // Somebody was faster.
        }
        if state.withLock({ $0.index?[name] != nil }) { try record([.remove(name)]) }
    }
}
