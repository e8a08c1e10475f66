import ImageCore

/// Storing and removing entries.
///
/// ```text
/// store    lock; evict until the entry fits; create a part; count it; write it; rename it; subtract what it replaced; unlock
///
/// A streamed entry:
/// begin    lock; evict until the entry fits; create a part; count it; unlock
/// append   write to the part
/// finish   complete the part; lock; rename it; subtract what it replaced; unlock
/// ```
/// If the process ends before the rename, the part is a leftover. If it ends after the rename, the entry is stored, and
/// the counter still contains the replaced one until the next scan.
extension FolderEditor {
    /// The space reserved for key and metadata of a streamed entry, in addition to the expected data.
    private static let typicalTailSize = 4_096
    /// The space reserved if the length is unknown. The reservation is doubled when it is used up.
    private static let firstReservation = 1 << 20
    private static let folderWasRemoved = DataCacheError.inaccessible("The folder was removed")

    private var largestEntry: Int { folder.byteLimit - UsageFile.byteCount }

    mutating func store(_ entry: DataCacheEntry, for key: DataCacheKey, _ name: EntryName) throws {
        var checksum = EntryChecksum()
        checksum.add(entry.data)
        let tail = try EntryFile.tail(entry.data.count, checksum, key, entry.metadata, entry.creationDate)
        _ = try locked(creating: true) { editor in
            let part = try editor.begin(name, entry.data.count + tail.count) { editor, part in
                // A small entry is written in one call. A large one isn't copied.
                let isSmall = entry.data.count <= 1 << 16
                try editor.fileSystem.write(isSmall ? entry.data + tail : entry.data, to: part.file, at: 0)
                if !isSmall { try editor.fileSystem.write(tail, to: part.file, at: entry.data.count) }
                try editor.moveIntoPlace(part)
            }
            editor.fileSystem.closeFile(part.file)
        }
    }

    /// Starts an entry of about the expected length, or of unknown length.
    mutating func beginStream(_ name: EntryName, expected: Int?) throws -> PartialFile {
        let wanted = expected.map { min($0, .max / 2) + Self.typicalTailSize } ?? Self.firstReservation
        try expectFit(expected ?? 0)
        let part = try locked(creating: true) { editor in
            try editor.begin(name, min(wanted, editor.largestEntry)) { editor, part in
                if editor.folder.leftoverAge == nil { _ = try editor.fileSystem.lock(part.file) }
                try editor.fileSystem.truncate(part.file, to: part.reserved)
            }
        }
        guard let part else { throw Self.folderWasRemoved }
        return part
    }

    mutating func append(_ bytes: Data, to part: inout PartialFile) throws {
        try step(&part) { editor, part in
            let byteCount = part.payloadLength + bytes.count
            if byteCount > part.reserved {
                try editor.expectFit(byteCount)
                let wanted = max(byteCount + Self.typicalTailSize, 2 * part.reserved)
                try editor.reserve(min(wanted, editor.largestEntry), for: &part)
            }
            try editor.fileSystem.write(bytes, to: part.file, at: part.payloadLength)
            if editor.folder.leftoverAge != nil {
                try editor.fileSystem.setModified(editor.folder.now(), at: part.path)
            }
            part.checksum.add(bytes)
            part.payloadLength += bytes.count
        }
    }

    mutating func finish(_ part: PartialFile, _ key: DataCacheKey, _ metadata: Data, _ creationDate: Date) throws {
        var part = part
        try step(&part) { editor, part in
            let tail = try EntryFile.tail(part.payloadLength, part.checksum, key, metadata, creationDate)
            try editor.reserve(part.payloadLength + tail.count, for: &part)
            try editor.fileSystem.write(tail, to: part.file, at: part.payloadLength)
            try editor.lockedWith(part) { editor in try editor.moveIntoPlace(part) }
        }
        fileSystem.closeFile(part.file)
    }

    mutating func discard(_ part: PartialFile) {
        // If this fails, the part is a leftover, once it is closed or old. A scan then removes it and corrects the counter.
        try? lockedWith(part) { editor in
            try editor.fileSystem.remove(part.path)
            try editor.addUsed(-part.reserved)
        }
        fileSystem.closeFile(part.file)
    }

    mutating func remove(_ name: EntryName) throws { _ = try locked { editor in try editor.removeFile(name) } }

    private func expectFit(_ byteCount: Int) throws {
        if byteCount > largestEntry {
            throw DataCacheError.tooLarge(byteCount: byteCount, byteLimit: max(0, largestEntry))
        }
    }

    /// Evicts entries until a part fits, creates and counts it, and lets `body` go on with it. Requires the lock.
    private mutating func begin(
        _ name: EntryName, _ byteCount: Int, _ body: (inout FolderEditor, PartialFile) throws -> Void
    ) throws -> PartialFile {
        try expectFit(byteCount)
        try makeRoom(for: byteCount, replacing: name)
        let path = "\(folder.temporary)/\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
        let file = try fileSystem.creatingFolder(of: path) { try fileSystem.create(path) }
        var part = PartialFile(name: name, file: file, path: path)
        try step(&part) { editor, part in
            // If the folder was removed, the part can be in a new one, which has another lock and another counter.
            try editor.usage.requireCurrent()
            try editor.addUsed(byteCount)
            part.reserved = byteCount
            try body(&editor, part)
        }
        return part
    }

    /// Changes the number of bytes that are counted for a streamed part, and its length.
    private mutating func reserve(_ byteCount: Int, for part: inout PartialFile) throws {
        let more = byteCount - part.reserved
        if more == 0 { return }
        try expectFit(byteCount)
        try lockedWith(part) { editor in
            if more > 0 { try editor.makeRoom(for: more, replacing: part.name) }
            if more < 0 { try editor.fileSystem.truncate(part.file, to: byteCount) }
            try editor.addUsed(more)
            part.reserved = byteCount
            if more > 0 { try editor.fileSystem.truncate(part.file, to: byteCount) }
        }
    }

    /// Renames a complete part, and subtracts what it replaces. Requires the lock.
    private mutating func moveIntoPlace(_ part: PartialFile) throws {
        let path = folder.path(part.name)
        // The system has just set the time, usually to that of the same clock.
        let now = folder.now()
        if try abs(fileSystem.status(of: part.file).modified.timeIntervalSince(now)) > 0.01 {
            try fileSystem.setModified(now, at: part.path)
        }
        let replaced = try fileSize(path)
        try fileSystem.creatingFolder(of: path) { try fileSystem.rename(part.path, to: path) }
        folder.hits.forget(part.name)
        if let replaced { try addUsed(-replaced) }
    }

    /// Locks the folder. Throws if it was removed since the part was created.
    private mutating func lockedWith(_ part: PartialFile, _ body: (inout FolderEditor) throws -> Void) throws {
        let result: Void? = try locked { editor in
            let status = try editor.fileSystem.status(of: part.file)
            if try !editor.fileSystem.isCurrent(status, at: part.path) { throw Self.folderWasRemoved }
            try body(&editor)
        }
        if result == nil { throw Self.folderWasRemoved }
    }

    /// Runs a step of writing a part. If it fails, the part is discarded.
    private mutating func step(
        _ part: inout PartialFile, _ body: (inout FolderEditor, inout PartialFile) throws -> Void
    ) throws {
        do {
            try body(&self, &part)
        } catch {
            discard(part)
            throw error
        }
    }

    /// Runs a step of a store. If it fails or is refused, the outdated entry for the key is removed.
    mutating func replacing<Result>(_ name: EntryName, _ body: (inout FolderEditor) throws -> Result) throws -> Result {
        do {
            return try body(&self)
        } catch {
            // If this fails too, the original failure is thrown.
            try? remove(name)
            throw error
        }
    }
}
