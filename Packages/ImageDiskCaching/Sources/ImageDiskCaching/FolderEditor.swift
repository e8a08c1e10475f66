import ImageCore

/// Changes the folder of a cache: its lock, its counter, and the order in which entries are evicted.
///
/// All methods block. The cache calls them one at a time, on its own queue. The entry to evict is found in a list from
/// the last scan of the folder, and the folder is scanned again when the list is spent. The list stays right in between:
/// entries that were stored or used since then are more recent than all entries in it, and are recognised by the
/// modification times of their files.
struct FolderEditor {
    let folder: CacheFolder
    var usage: UsageFile
    private(set) var isLocked = false
    /// The entries that can be evicted. The least recently used one is last.
    private var candidates: [ListedEntry] = []

    init(_ folder: CacheFolder) {
        self.folder = folder
        usage = UsageFile(folder)
    }

    var fileSystem: FileSystem { folder.fileSystem }

    /// Calls `body` while the folder is locked for all processes, or in the lock of the caller. Returns nil if the
    /// folder doesn't exist and isn't created.
    mutating func locked<Result>(
        creating: Bool = false, _ body: (inout FolderEditor) throws -> Result
    ) throws -> Result? {
        if isLocked { return try body(&self) }
        guard try usage.lock(creating: creating) else { return nil }
        isLocked = true
        defer {
            isLocked = false
            usage.unlock()
        }
        if creating || usage.isOfOtherFormat { try folder.claim.take() }
        if usage.used == nil { try takeOver() }
        return try body(&self)
    }

    /// Adds to the counter, unless it is unknown until the end of a scan. Requires the lock.
    mutating func addUsed(_ byteCount: Int) throws {
        if let used = usage.used { try usage.setUsed(used + byteCount) }
    }

    /// Lists all entries, corrects the counter, and removes leftovers of ended processes. Requires the lock.
    ///
    /// A process that stores into a removed folder can still rename a part. Parts are listed first, so it is counted.
    @discardableResult
    mutating func scan() throws -> [ListedEntry] {
        let parts = try removeLeftovers()
        let entries = try listEntries()
        try usage.setUsed(entries.reduce(UsageFile.byteCount + parts) { $0 + $1.byteCount })
        let latest = folder.latestUse
        let (future, past) = (entries.filter { $0.modified > latest }, entries.filter { $0.modified <= latest })
        candidates = past.sorted { $0.modified > $1.modified } + future
        return entries
    }

    func listEntries() throws -> [ListedEntry] { try folder.folders().flatMap { try folder.entries(in: $0) } }

    /// Removes the parts whose writers have ended, and returns the sum of the lengths of the others. Requires the lock.
    @discardableResult
    mutating func removeLeftovers() throws -> Int {
        var livingByteCount = 0
        for name in try ifExists({ try fileSystem.list(folder.temporary) }) ?? []
        where name.hasSuffix(".part") && UInt64(name.dropLast(5), radix: 16) != nil {
            let path = "\(folder.temporary)/\(name)"
            guard try ifExists({ try fileSystem.status(at: path) })?.isRegular == true,
                let file = try ifExists({ try fileSystem.openToRead(path) })
            else { continue }
            defer { fileSystem.closeFile(file) }
            let status = try fileSystem.status(of: file)
            if try isLeftover(file, status) {
                if try ifExists({ try fileSystem.remove(path) }) != nil { try addUsed(-status.byteCount) }
            } else {
                livingByteCount += status.byteCount
            }
        }
        return livingByteCount
    }

    /// Returns whether the writer of a part has ended. Locks the part in that case.
    private func isLeftover(_ file: Int32, _ status: FileStatus) throws -> Bool {
        guard let age = folder.leftoverAge else { return try fileSystem.lock(file) }
        return status.modified < folder.date(before: age) || status.modified > folder.latestUse
    }

    /// Counts the entries of a folder without a valid counter. Removes them if they have another format.
    private mutating func takeOver() throws {
        // The index of the formats before version 3.
        let indexes = try ["\(folder.root)/entries.index", "\(folder.root)/entries.table"].filter { path in
            try ifExists { try fileSystem.status(at: path) } != nil
        }
        if usage.isOfOtherFormat || !indexes.isEmpty {
            try removeEntries()
            for path in indexes { try fileSystem.remove(path) }
        }
        try scan()
    }

    /// Removes all entries. Requires the lock. The next scan corrects the counter.
    func removeEntries() throws {
        for path in try folder.folders() {
            for entry in try folder.entries(in: path) { try fileSystem.remove("\(path)/\(entry.name.text)") }
        }
    }

    /// Evicts entries until `byteCount` more bytes fit, first the one that is replaced. Requires the lock.
    mutating func makeRoom(for byteCount: Int, replacing name: EntryName) throws {
        if try fits(byteCount) { return }
        try removeFile(name)
        writeHits()
        var hasScanned = false
        while try !fits(byteCount) {
            if try evict() != nil { continue }
            if hasScanned { throw DataCacheError.noSpace }
            try scan()
            hasScanned = true
        }
    }

    /// Evicts the least recently used entry that is left in the list, and returns its size. Returns nil if none is left
    /// that was not used since `time`. Requires the lock.
    mutating func evict(unusedSince time: Date = .distantFuture) throws -> Int? {
        let latest = folder.latestUse
        while let candidate = candidates.last, candidate.modified < time || candidate.modified > latest {
            candidates.removeLast()
            // An entry that was used since the scan has another time.
            let path = folder.path(candidate.name)
            let status = try ifExists { try fileSystem.status(at: path) }
            guard let status, status.modified == candidate.modified else { continue }
            try fileSystem.remove(path)
            try addUsed(-status.byteCount)
            return status.byteCount
        }
        return nil
    }

    private func fits(_ byteCount: Int) throws -> Bool {
        guard byteCount <= folder.byteLimit - (usage.used ?? 0) else { return false }
        let free = folder.options.minFreeByteCount
        return try free <= 0 || fileSystem.availableBytes(at: folder.root) - byteCount >= free
    }

    /// Returns the length of the file at a path, if there is one.
    func fileSize(_ path: String) throws -> Int? {
        let status = try ifExists { try fileSystem.status(at: path) }
        return status.flatMap { $0.isRegular ? $0.byteCount : nil }
    }

    /// Removes the file of an entry, if there is one. Requires the lock.
    mutating func removeFile(_ name: EntryName) throws {
        let path = folder.path(name)
        guard let byteCount = try fileSize(path) else { return }
        try fileSystem.remove(path)
        try addUsed(-byteCount)
    }

    /// Removes an entry that can't be used. Returns false if it can.
    ///
    /// The counter contains a damaged one, whose length may have changed, until the next scan.
    mutating func removeUnusable(_ name: EntryName) throws -> Bool {
        // Checked again in the lock, because it can have been replaced.
        guard try folder.mustBeRemoved(name) else { return false }
        return try locked { editor in
            guard try editor.folder.mustBeRemoved(name) else { return false }
            let path = editor.folder.path(name)
            if editor.folder.isExpired(try editor.fileSystem.status(at: path), name) {
                try editor.removeFile(name)
            } else {
                try editor.fileSystem.remove(path)
                editor.candidates = []
            }
            return true
        } ?? false
    }

    /// Writes the times of uses to the files. A time that can't be written is lost, and its entry seems older.
    func writeHits() {
        // It fails if the entry was removed, or the folder is read-only.
        for (name, time) in folder.hits.take() { try? fileSystem.setModified(time, at: folder.path(name)) }
    }
}

/// Reporting, verifying and trimming. Long operations are several calls, between which other operations can run.
extension FolderEditor {
    /// Lists all files, and returns the size and age of the contents.
    mutating func status() throws -> DiskCacheStatus {
        writeHits()
        let entries: [ListedEntry]
        do {
            entries = try locked { editor in try editor.scan() } ?? []
        } catch let failure as FileSystemFailure where failure.isForbidden || failure.isLocked {
            // A read-only folder can't be locked, nor one that a stopped process has locked.
            entries = try listEntries()
        }
        let times = entries.map(\.modified)
        return DiskCacheStatus(
            entryCount: entries.count, byteCount: entries.reduce(0) { $0 + $1.byteCount }, byteLimit: folder.byteLimit,
            oldestUse: times.min(), newestUse: times.max())
    }

    mutating func removeAll() throws {
        _ = try locked { editor in
            try editor.removeEntries()
            try editor.scan()
        }
    }

    /// Reads all entries at a path, removes those that can't be used, and adds to a report.
    mutating func verify(_ path: String, _ report: DiskCacheVerification) throws -> DiskCacheVerification {
        var report = report
        for entry in try folder.entries(in: path) {
            report.checkedEntryCount += 1
            report.checkedByteCount += entry.byteCount
            do {
                if try removeUnusable(entry.name) { report.removedEntryCount += 1 }
            } catch {
                let reason = (error as? FileSystemFailure)?.text ?? "\(error)"
                report.unrepairedFiles.append("\(path.dropFirst(folder.root.count + 1))/\(entry.name.text): \(reason)")
            }
        }
        return report
    }

    /// Evicts up to 64 entries that were not used since a time, while more than `byteCount` bytes are in use. Returns
    /// the lengths of their files. The caller repeats it, so that other operations can run in between.
    mutating func evictBatch(downTo byteCount: Int = 0, unusedSince time: Date = .distantFuture) throws -> [Int] {
        try locked { editor in
            var evicted: [Int] = []
            while let used = editor.usage.used, used - UsageFile.byteCount > max(0, byteCount),
                evicted.count < 64, let byteCount = try editor.evict(unusedSince: time)
            {
                evicted.append(byteCount)
            }
            return evicted
        } ?? []
    }
}
