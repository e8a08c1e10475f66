import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes the folder of a cache: its lock, its counter, and the order in which entries are evicted.
///
/// All methods block. The cache calls them one at a time, on its own queue. The entry to evict is found in a list from
/// the last scan of the folder, and the folder is scanned again when the list is spent. The list stays right in between:
/// entries that were stored or used since then are more recent than all entries in it, and are recognised by the
/// modification times of their files.
struct EntryStore {
    /// An entry that can be evicted unless its file has another modification time by then.
    private struct Candidate {
        var name: EntryName
        var modified: Int64
    }

    let paths: FolderPaths
    let fileSystem: FileSystem
    let byteLimit: Int
    let uses: PendingUses
    let clock: UseClock
    let lookup: EntryLookup
    private(set) var usage: UsageFile
    /// The entries that can be evicted. The least recently used one is last.
    private var candidates: [Candidate] = []

    init(_ lookup: EntryLookup) {
        paths = lookup.paths
        fileSystem = lookup.fileSystem
        byteLimit = lookup.byteLimit
        uses = lookup.uses
        clock = lookup.clock
        self.lookup = lookup
        usage = UsageFile(paths, fileSystem)
    }

    /// The number of bytes in use. Up to date only while the folder is locked.
    var used: Int { usage.used ?? 0 }

    /// Calls `body` while the folder is locked for all processes. Returns nil if the folder doesn't exist.
    mutating func locked<Result>(
        creating: Bool = false, _ body: (inout EntryStore) throws -> Result
    ) throws -> Result? {
        guard try usage.lock(creating: creating) else { return nil }
        defer { usage.unlock() }
        if usage.used == nil { try takeOver() }
        return try body(&self)
    }

    /// Adds to the counter. Requires the lock.
    mutating func addUsed(_ byteCount: Int) throws { try usage.setUsed(used + byteCount) }

    /// Closes the file of the counter.
    mutating func close() { usage.close() }

    // MARK: Scanning

    /// Lists all entries, corrects the counter, and removes leftovers of ended processes. Requires the lock.
    @discardableResult
    mutating func scan() throws -> [ListedEntry] {
        let entries = try listEntries()
        let parts = try removeLeftovers().livingByteCount
        try usage.setUsed(entries.reduce(UsageFile.byteCount + parts) { $0 + $1.byteCount })
        candidates = entries.map { Candidate(name: $0.name, modified: $0.modified) }
        candidates.sort { [clock] in clock.trusted($0.modified) > clock.trusted($1.modified) }
        return entries
    }

    func listEntries() throws -> [ListedEntry] {
        try paths.folders(fileSystem).flatMap { try paths.entries(in: $0, fileSystem) }
    }

    /// Removes the parts whose writers have ended, because nobody has locked them. Requires the lock.
    func removeLeftovers() throws -> (removed: DiskCacheRemoval, livingByteCount: Int) {
        var removed = DiskCacheRemoval()
        var livingByteCount = 0
        for name in try ifExists({ try fileSystem.list(paths.temporary) }) ?? [] where Self.isPart(name) {
            let path = "\(paths.temporary)/\(name)"
            guard let file = try ifExists({ try fileSystem.openToRead(path) }) else { continue }
            defer { fileSystem.close(file) }
            let byteCount = try fileSystem.status(of: file).byteCount
            if try fileSystem.lock(file, waits: false) {
                try fileSystem.remove(path)
                removed.add(DiskCacheRemoval(entryCount: 1, byteCount: byteCount))
            } else {
                livingByteCount += byteCount
            }
        }
        return (removed, livingByteCount)
    }

    /// Whether a file in `tmp` has a name of this version or an older one.
    private static func isPart(_ name: String) -> Bool {
        name.hasSuffix(".part") && UInt64(name.dropLast(5), radix: 16) != nil
    }

    /// Counts the entries of a folder without a valid counter. Removes them if they have another format or layout.
    private mutating func takeOver() throws {
        let indexes = try paths.olderIndexes.filter { path in try ifExists { try fileSystem.status(at: path) } != nil }
        if usage.isOfOtherFormat || !indexes.isEmpty {
            try removeEntries()
            for path in indexes { try fileSystem.remove(path) }
        }
        try scan()
    }

    /// Removes all entries, in any layout. Requires the lock. The next scan corrects the counter.
    func removeEntries() throws {
        for folder in try paths.folders(fileSystem) {
            for entry in try paths.entries(in: folder, fileSystem) {
                try fileSystem.remove("\(folder)/\(entry.name.text)")
            }
        }
    }

    // MARK: Evicting

    /// Evicts entries until `byteCount` more bytes fit. Requires the lock.
    ///
    /// - Parameter name: The entry that is replaced. It is removed before others are evicted.
    mutating func makeRoom(for byteCount: Int, replacing name: EntryName) throws {
        if try fits(byteCount) { return }
        try removeFile(name)
        writeUses()
        var hasScanned = false
        while try !fits(byteCount) {
            if try evict() != nil { continue }
            if hasScanned { throw DataCacheFailure.noSpace }
            try scan()
            hasScanned = true
        }
    }

    /// Evicts the least recently used entry that is left in the list, and returns its size. Returns nil if the list is
    /// spent. Requires the lock.
    ///
    /// - Parameter time: Entries that were used at this time or later stay.
    mutating func evict(unusedSince time: Int64 = .max) throws -> Int? {
        while let candidate = candidates.last, clock.trusted(candidate.modified) < time {
            candidates.removeLast()
            let path = paths.entry(candidate.name)
            let status = try ifExists { try fileSystem.status(at: path) }
            guard let status, status.modified == candidate.modified else { continue }
            try fileSystem.remove(path)
            try addUsed(-status.byteCount)
            return status.byteCount
        }
        return nil
    }

    private func fits(_ byteCount: Int) throws -> Bool {
        guard byteCount <= byteLimit - used else { return false }
        let free = lookup.options.minimumFreeSpace
        return try free <= 0 || fileSystem.availableBytes(at: paths.root) - byteCount >= free
    }

    /// Returns the length of the file of an entry, if there is one.
    func fileSize(_ name: EntryName) throws -> Int? {
        let status = try ifExists { try fileSystem.status(at: paths.entry(name)) }
        return status.flatMap { $0.isRegular ? $0.byteCount : nil }
    }

    /// Removes the file of an entry, if there is one. Requires the lock.
    mutating func removeFile(_ name: EntryName) throws {
        guard let byteCount = try fileSize(name) else { return }
        try fileSystem.remove(paths.entry(name))
        try addUsed(-byteCount)
    }

    /// Removes an entry that can't be used. Returns false if it can.
    ///
    /// The counter still contains it, because the damage may have changed its length. The next scan corrects that.
    mutating func removeUnusable(_ name: EntryName) throws -> Bool {
        try locked { store in
            if try store.lookup.isUsable(name) { return false }
            try store.fileSystem.remove(store.paths.entry(name))
            store.candidates = []
            return true
        } ?? false
    }

    /// Writes the times of uses to the files. A time that can't be written is lost, and its entry seems older.
    func writeUses() {
        for (name, time) in uses.take() {
            do {
                try fileSystem.setModified(time, at: paths.entry(name))
            } catch {
                // The entry was removed, or the folder is read-only.
            }
        }
    }
}
