import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds entries by the names of their files. It needs neither the lock of the folder nor any list of it, so a lookup
/// waits for no scan, eviction or store.
struct EntryLookup: Sendable {
    enum Result {
        case entry(DataCacheEntry)
        /// A large entry, as an open file.
        case file(OpenEntry)
        case absent
        /// This is a miss. The file should be removed, unless it is the entry of another key with the same name.
        case unusable
    }

    /// An open entry. Its file stays readable after it is replaced or removed.
    struct OpenEntry {
        let file: Int32
        let format: EntryFile
        let metadata: Data
    }

    /// The largest file that is read on the caller's thread, which takes about 0.1 ms, and the largest one that a reader
    /// keeps in memory.
    static let largestSmallFile = 1 << 20

    let paths: FolderPaths
    let fileSystem: FileSystem
    let byteLimit: Int
    let options: DiskCacheOptions
    let uses: PendingUses
    let clock: UseClock

    /// Looks up an entry without waiting for a device. Returns nil if that is not possible. Call `find` then.
    func findCached(_ key: DataCacheKey, _ name: EntryName) -> Result? {
        do {
            guard let file = try fileSystem.openCached(paths.entry(name)) else { return nil }
            defer { fileSystem.close(file) }
            let status = try fileSystem.status(of: file)
            guard status.isRegular, status.byteCount <= Self.largestSmallFile, !isExpired(status, name),
                let bytes = try fileSystem.readCached(file, status.byteCount), bytes.count == status.byteCount,
                let entry = Self.entry(in: bytes, for: key)
            else { return nil }
            return .entry(entry)
        } catch let failure as FileSystemFailure where failure.isNotFound {
            return .absent
        } catch {
            // `find` throws the failure.
            return nil
        }
    }

    /// Looks up an entry, and verifies its checksum.
    ///
    /// - Parameter largest: The size of the largest file that is read into memory. A larger one is returned as an open
    ///   file.
    func find(_ key: DataCacheKey, _ name: EntryName, inMemoryUpTo largest: Int = .max) throws -> Result {
        try withFile(name) { file, status in
            guard status.byteCount <= byteLimit, !isExpired(status, name) else { return .unusable }
            if status.byteCount > largest {
                // The file stays open if the entry is intact.
                return try open(file, status.byteCount, for: key).map { .file($0) } ?? .unusable
            }
            let bytes = try fileSystem.read(file, status.byteCount, at: 0)
            return Self.entry(in: bytes, for: key).map { .entry($0) } ?? .unusable
        }
    }

    /// Returns true if an entry is missing, or if its file can be used and has the right name.
    func isUsable(_ name: EntryName) throws -> Bool {
        let result = try withFile(name) { file, status in
            guard status.byteCount <= byteLimit, !isExpired(status, name),
                let format = try format(of: file, status.byteCount), try isIntact(file, format, status.byteCount),
                options.naming.name(try key(of: file, format)) == name
            else { return .unusable }
            return .absent
        }
        if case .unusable = result { return false }
        return true
    }

    /// Whether an entry was not used for longer than the age limit.
    private func isExpired(_ status: FileStatus, _ name: EntryName) -> Bool {
        guard let ageLimit = options.ageLimit else { return false }
        return clock.trusted(max(status.modified, uses.time(of: name) ?? .min)) < clock.time(before: ageLimit)
    }

    /// Opens a file, calls `body`, and closes it unless `body` returns it.
    private func withFile(_ name: EntryName, _ body: (Int32, FileStatus) throws -> Result) throws -> Result {
        do {
            guard let file = try ifExists({ try fileSystem.openToRead(paths.entry(name)) }) else { return .absent }
            var isKept = false
            defer { if !isKept { fileSystem.close(file) } }
            let status = try fileSystem.status(of: file)
            guard status.isRegular else { return .absent }
            let result = try body(file, status)
            if case .file = result { isKept = true }
            return result
        } catch let failure as FileSystemFailure where failure.isForeign {
            return .absent
        } catch let failure as FileSystemFailure where failure.isDeviceError {
            return .unusable
        }
    }

    private static func entry(in file: Data, for key: DataCacheKey) -> DataCacheEntry? {
        guard let format = EntryFile(file), String(decoding: file[format.key], as: UTF8.self) == key.source else {
            return nil
        }
        return DataCacheEntry(
            data: file[format.payload], metadata: Data(file[format.metadata]), createdAt: format.createdAt)
    }

    private func open(_ file: Int32, _ byteCount: Int, for key: DataCacheKey) throws -> OpenEntry? {
        guard let format = try format(of: file, byteCount), try self.key(of: file, format) == key,
            try isIntact(file, format, byteCount)
        else { return nil }
        let metadata = try fileSystem.read(file, format.metadata.count, at: format.metadata.lowerBound)
        return OpenEntry(file: file, format: format, metadata: metadata)
    }

    private func format(of file: Int32, _ byteCount: Int) throws -> EntryFile? {
        let start = max(0, byteCount - EntryFile.trailerSize)
        return EntryFile(
            trailer: try fileSystem.read(file, EntryFile.trailerSize, at: start), fileSize: byteCount)
    }

    private func key(of file: Int32, _ format: EntryFile) throws -> DataCacheKey {
        let bytes = try fileSystem.read(file, format.key.count, at: format.key.lowerBound)
        return DataCacheKey(source: String(decoding: bytes, as: UTF8.self))
    }

    /// Verifies the checksum of a file, a megabyte at a time.
    private func isIntact(_ file: Int32, _ format: EntryFile, _ byteCount: Int) throws -> Bool {
        var sum = EntryChecksum()
        let end = byteCount - EntryChecksum.byteCount
        for start in stride(from: 0, to: end, by: Self.largestSmallFile) {
            sum.add(try fileSystem.read(file, min(Self.largestSmallFile, end - start), at: start))
        }
        return sum == format.checksum
    }
}
