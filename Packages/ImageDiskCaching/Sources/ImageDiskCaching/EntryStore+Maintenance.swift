import ImageCore

/// Opening, reporting, verifying and trimming. Long operations are steps, between which other operations can run.
extension EntryStore {
    /// The number of entries that are evicted in one step, while the folder is locked.
    private static let evictionsPerStep = 64

    /// Removes leftovers of ended processes and subtracts their lengths. Doesn't list the entries.
    mutating func open() throws {
        _ = try locked { store in
            let removed = try store.removeLeftovers().removed
            if removed.entryCount > 0 { try store.addUsed(-removed.byteCount) }
        }
    }

    /// Lists all files, and returns the size and age of the contents.
    mutating func status() throws -> DiskCacheStatus {
        writeUses()
        let entries: [ListedEntry]
        do {
            entries = try locked { store in try store.scan() } ?? []
        } catch let failure as FileSystemFailure where failure.isForbidden {
            // A read-only folder can't be locked.
            entries = try listEntries()
        }
        let times = entries.map(\.modified)
        return DiskCacheStatus(
            entryCount: entries.count, byteCount: entries.reduce(0) { $0 + $1.byteCount }, byteLimit: byteLimit,
            oldestUse: times.min().map(UseClock.date), newestUse: times.max().map(UseClock.date))
    }

    /// Removes all entries.
    mutating func removeAll() throws {
        _ = try locked { store in
            try store.removeEntries()
            try store.scan()
        }
    }

    /// Reads all entries of one folder and removes those that can't be used.
    mutating func verify(folder: String) throws -> DiskCacheVerification {
        var report = DiskCacheVerification()
        for entry in try paths.entries(in: folder, fileSystem) {
            report.entriesChecked += 1
            report.bytesChecked += entry.byteCount
            do {
                if try lookup.isUsable(entry.name) { continue }
                if try removeUnusable(entry.name) { report.damagedRemoved += 1 }
            } catch {
                let reason = (error as? FileSystemFailure)?.text ?? "\(error)"
                report.unrepaired.append("\(folder.dropFirst(paths.root.count + 1))/\(entry.name.text): \(reason)")
            }
        }
        return report
    }

    /// Evicts a few of the entries that were not used since a time, while more than `byteCount` bytes are in use.
    ///
    /// Returns nil if there was nothing to evict.
    mutating func evictionStep(downTo byteCount: Int = 0, unusedSince time: Int64 = .max) throws -> DiskCacheRemoval? {
        let removal = try locked { store in
            var removal = DiskCacheRemoval()
            while removal.entryCount < Self.evictionsPerStep, store.used - UsageFile.byteCount > max(0, byteCount),
                let evicted = try store.evict(unusedSince: time)
            {
                removal.add(DiskCacheRemoval(entryCount: 1, byteCount: evicted))
            }
            return removal
        }
        return removal?.entryCount == 0 ? nil : removal
    }
}
