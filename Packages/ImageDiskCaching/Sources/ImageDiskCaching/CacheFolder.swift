import ImageCore

/// The folder of a cache, with the paths and the times of its files.
///
/// ```text
/// <root>/usage            the number of bytes in use, see UsageFile; its lock is the lock of the folder
/// <root>/3f/3f9a…         an entry, see EntryFile
/// <root>/tmp/7a….part     an entry that is being written, see PartialFile
/// ```
struct CacheFolder: Sendable {
    let root: String
    let byteLimit: Int
    let options: DiskCacheOptions
    let fileSystem: FileSystem
    let now: @Sendable () -> Date
    /// See `PartialFile.leftoverAge`.
    let leftoverAge: Duration?
    let claim: FolderClaim
    let hits = PendingHits()

    var usage: String { "\(root)/usage" }
    var temporary: String { "\(root)/tmp" }

    func path(_ name: EntryName) -> String {
        let text = name.text
        return "\(root)/\(text.prefix(2))/\(text)"
    }

    /// The folders that can contain entries.
    func folders() throws -> [String] {
        let names = try ifExists { try fileSystem.list(root) } ?? []
        return names.filter { $0.utf8.count == 2 }.map { "\(root)/\($0)" }
    }

    /// The entries in a folder. Files of other programs are not listed.
    func entries(in folder: String) throws -> [ListedEntry] {
        try (ifExists { try fileSystem.list(folder) } ?? []).compactMap { text in
            guard let name = EntryName(text), folder.hasSuffix(text.prefix(2)),
                let status = try ifExists({ try fileSystem.status(at: "\(folder)/\(text)") }), status.isRegular
            else { return nil }
            return ListedEntry(name: name, byteCount: status.byteCount, modified: status.modified)
        }
    }

    /// Returns the time that was `age` ago.
    func date(before age: Duration) -> Date {
        // The components of the longest durations don't fit into integers.
        let most = Duration.seconds(9_000_000_000 as Int64)
        return now() - min(max(age, .zero - most), most) / .seconds(1)
    }

    /// The latest time that a use can have: an hour ahead of the clock. A later one counts as the oldest one, because
    /// such an entry would otherwise never be evicted.
    var latestUse: Date { now() + 3_600 }

    /// Whether an entry was not used for longer than the age limit.
    func isExpired(_ status: FileStatus, _ name: EntryName) -> Bool {
        guard let maxUnusedTime = options.maxUnusedTime else { return false }
        let use = max(status.modified, hits.time(of: name) ?? .distantPast)
        return use < date(before: maxUnusedTime) || use > latestUse
    }
}

/// An entry in a list of a folder.
struct ListedEntry {
    var name: EntryName
    var byteCount: Int
    var modified: Date
}

/// Finding entries by the names of their files. This needs neither the lock of the folder nor any list of it, so a
/// lookup waits for no scan, eviction or store.
extension CacheFolder {
    enum Found {
        case entry(DataCacheEntry)
        /// A large entry, as an open file.
        case file(OpenEntry)
        case absent
        /// This is a miss. The file should be removed, unless it is the entry of another key with the same name.
        case unusable
        /// Only a read that may wait for a device can tell.
        case unknown
    }

    /// An open entry. Its file stays readable after it is replaced or removed.
    struct OpenEntry {
        let file: Int32
        let format: EntryFile
        let metadata: Data
    }

    /// The largest file that is read on the caller's thread, and the largest one that a reader keeps in memory.
    static let largestSmallFile = 1 << 20

    /// Looks up an entry, and verifies its checksum. A file that is larger than `largest` is returned open.
    ///
    /// If `cached`, returns `.unknown` or throws instead of waiting for a device or opening a large file.
    func find(
        _ key: DataCacheKey, _ name: EntryName, inMemoryUpTo largest: Int, cached: Bool = false
    ) throws -> Found {
        try withFile(name, cached: cached, ifAbsent: .absent, ifUnusable: .unusable) { file, status in
            if status.byteCount <= largest {
                let bytes = try fileSystem.read(file, status.byteCount, at: 0, cached: cached)
                return Self.entry(in: bytes, for: key).map { .entry($0) } ?? (cached ? .unknown : .unusable)
            }
            if cached { return .unknown }
            guard let format = try intactFormat(file, status.byteCount), try self.key(of: file, format) == key else {
                return .unusable
            }
            let metadata = try fileSystem.read(file, format.metadata.count, at: format.metadata.lowerBound)
            return .file(OpenEntry(file: file, format: format, metadata: metadata))
        }
    }

    /// Returns true if the file of an entry exists, and can't be used or has the wrong name.
    func mustBeRemoved(_ name: EntryName) throws -> Bool {
        try withFile(name, ifAbsent: false, ifUnusable: true) { file, status in
            guard let format = try intactFormat(file, status.byteCount) else { return true }
            return EntryName(try key(of: file, format)) != name
        }
    }

    /// Opens a file, calls `body`, and closes it unless `body` returns it.
    private func withFile<Result>(
        _ name: EntryName, cached: Bool = false, ifAbsent: Result, ifUnusable: Result,
        _ body: (Int32, FileStatus) throws -> Result
    ) throws -> Result {
        do {
            let path = path(name)
            guard let file = try ifExists({ try fileSystem.openToRead(path, cached: cached) }) else { return ifAbsent }
            var isKept = false
            defer { if !isKept { fileSystem.closeFile(file) } }
            let status = try fileSystem.status(of: file)
            guard status.isRegular else { return ifAbsent }
            guard status.byteCount <= byteLimit, !isExpired(status, name) else { return ifUnusable }
            let result = try body(file, status)
            if case .file? = result as? Found { isKept = true }
            return result
        } catch let failure as FileSystemFailure where failure.isForeign {
            return ifAbsent
        } catch let failure as FileSystemFailure where failure.isDeviceError && !cached {
            return ifUnusable
        }
    }

    private static func entry(in file: Data, for key: DataCacheKey) -> DataCacheEntry? {
        guard let format = EntryFile(file), file[format.key].elementsEqual(key.identifier.utf8) else {
            return nil
        }
        return DataCacheEntry(
            data: file[format.payload], metadata: Data(file[format.metadata]), creationDate: format.creationDate)
    }

    private func key(of file: Int32, _ format: EntryFile) throws -> DataCacheKey {
        let bytes = try fileSystem.read(file, format.key.count, at: format.key.lowerBound)
        return DataCacheKey(identifier: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads a file, a megabyte at a time, and verifies its checksum. Returns nil if it is damaged.
    private func intactFormat(_ file: Int32, _ byteCount: Int) throws -> EntryFile? {
        let start = max(0, byteCount - EntryFile.trailerSize)
        let trailer = try fileSystem.read(file, EntryFile.trailerSize, at: start)
        guard let format = EntryFile(trailer: trailer, fileSize: byteCount) else { return nil }
        var checksum = EntryChecksum()
        let end = byteCount - EntryChecksum.byteCount
        for start in stride(from: 0, to: end, by: Self.largestSmallFile) {
            checksum.add(try fileSystem.read(file, min(Self.largestSmallFile, end - start), at: start))
        }
        return checksum.sums == format.sums ? format : nil
    }
}
