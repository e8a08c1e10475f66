import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Storing and removing entries.
///
/// ```text
/// store    lock; evict until the entry fits; count it; write a part; rename it; subtract what it replaced; unlock
/// stream   lock; evict until the entry fits; count it; create a part of that length; unlock
///          write the part
///          lock; rename the part; subtract what it replaced; unlock
/// ```
/// If the process ends before the rename, the part is a leftover. If it ends after the rename, the entry is stored, and
/// the counter still contains the replaced one until the next scan.
extension EntryStore {
    /// The space reserved for key and metadata of a streamed entry, in addition to the expected data.
    private static let typicalTailSize = 4_096
    /// The space reserved if the length is unknown. The reservation is doubled when it is used up.
    private static let firstReservation = 1 << 20

    private var largestEntry: Int { byteLimit - UsageFile.byteCount }

    /// Stores an entry. If that fails or is refused, the older entry for the key is removed, because it is outdated.
    mutating func store(_ entry: DataCacheEntry, for key: DataCacheKey, _ name: EntryName) throws {
        let byteCount = EntryFile.byteCount(of: entry, for: key)
        try removingOlderIfFailed(name) { store in
            try store.expectFit(byteCount)
            _ = try store.locked(creating: true) { store in
                var part = try store.makePart(byteCount, name)
                do {
                    try part.append(entry.data)
                    try part.complete(key: key, metadata: entry.metadata, createdAt: entry.createdAt)
                    try store.moveIntoPlace(part, name)
                    part.close()
                } catch {
                    store.removePart(part)
                    throw error
                }
            }
        }
    }

    /// Starts a streamed entry.
    ///
    /// - Parameter expected: The expected number of bytes, or nil if it is unknown.
    mutating func beginStream(_ name: EntryName, expected: Int?) throws -> PartialFile {
        let expected = expected.map { min($0, .max / 2) + Self.typicalTailSize }
        let byteCount = expected ?? min(Self.firstReservation, largestEntry)
        return try removingOlderIfFailed(name) { store in
            try store.expectFit(byteCount)
            let part = try store.locked(creating: true) { store in
                var part = try store.makePart(byteCount, name)
                do {
                    try part.share()
                    return part
                } catch {
                    store.removePart(part)
                    throw error
                }
            }
            guard let part else { throw Self.folderRemoved }
            return part
        }
    }

    /// Writes bytes. If that fails, the part and the older entry are removed.
    mutating func append(_ bytes: Data, to part: inout PartialFile, _ name: EntryName) throws {
        try discardingIfFailed(&part, name) { store, part in
            let total = part.payloadLength + bytes.count
            if total > part.reserved {
                let doubled = min(2 * part.reserved, store.largestEntry)
                try store.grow(&part, to: max(total + Self.typicalTailSize, doubled), name)
            }
            try part.append(bytes)
        }
    }

    /// Completes a streamed entry. If that fails, the part and the older entry are removed.
    mutating func finishStream(
        _ part: PartialFile, _ name: EntryName, _ key: DataCacheKey, _ metadata: Data, _ createdAt: Date
    ) throws {
        var part = part
        try discardingIfFailed(&part, name) { store, part in
            let byteCount = part.byteCount(key: key, metadata: metadata)
            if byteCount > part.reserved { try store.grow(&part, to: byteCount, name) }
            try part.complete(key: key, metadata: metadata, createdAt: createdAt)
            try store.lockedWith(part) { store in
                // The length of the part changes together with the counter.
                if byteCount < part.reserved {
                    let unused = part.reserved - byteCount
                    try part.reserve(byteCount)
                    try store.addUsed(-unused)
                }
                try store.moveIntoPlace(part, name)
            }
            part.close()
        }
    }

    /// Removes a part.
    mutating func discard(_ part: PartialFile) {
        // If this fails, nobody has locked the part once it is closed. The next scan removes it and corrects the counter.
        let isClosed: Void? = try? locked { store in store.removePart(part) }
        if isClosed == nil { part.close() }
    }

    /// Removes an entry, if there is one.
    mutating func remove(_ name: EntryName) throws { _ = try locked { store in try store.removeFile(name) } }

    private func expectFit(_ byteCount: Int) throws {
        if byteCount > largestEntry {
            throw DataCacheFailure.tooLarge(bytes: byteCount, allowed: max(0, largestEntry))
        }
    }

    /// Makes room for a part and creates it. Requires the lock.
    private mutating func makePart(_ byteCount: Int, _ name: EntryName) throws -> PartialFile {
        try makeRoom(for: byteCount, replacing: name)
        try addUsed(byteCount)
        do {
            return try PartialFile(in: paths, reserved: byteCount, fileSystem)
        } catch {
            try addUsed(-byteCount)
            throw error
        }
    }

    /// Renames a complete part, and subtracts what it replaces. Requires the lock.
    private mutating func moveIntoPlace(_ part: PartialFile, _ name: EntryName) throws {
        try fileSystem.setModified(clock.time, at: part.path)
        let replaced = try fileSize(name)
        if try ifExists({ try fileSystem.rename(part.path, to: paths.entry(name)) }) == nil {
            try fileSystem.makeFolder(paths.folder(of: name))
            try fileSystem.rename(part.path, to: paths.entry(name))
        }
        uses.forget(name)
        if let replaced { try addUsed(-replaced) }
    }

    /// Removes and closes a part. Requires the lock.
    private mutating func removePart(_ part: PartialFile) {
        defer { part.close() }
        do {
            if try part.exists, try ifExists({ try fileSystem.remove(part.path) }) != nil {
                try addUsed(-part.reserved)
            }
        } catch {
            // Nobody has locked the part once it is closed. The next scan removes it and corrects the counter.
        }
    }

    private mutating func grow(_ part: inout PartialFile, to byteCount: Int, _ name: EntryName) throws {
        try expectFit(byteCount)
        let more = byteCount - part.reserved
        try lockedWith(part) { store in
            try store.makeRoom(for: more, replacing: name)
            try store.addUsed(more)
            try part.reserve(byteCount)
        }
    }

    /// Locks the folder. Throws if it was removed since the part was created.
    private mutating func lockedWith(_ part: PartialFile, _ body: (inout EntryStore) throws -> Void) throws {
        let isDone = try locked { store in
            guard try part.exists else { return false }
            try body(&store)
            return true
        }
        if isDone != true { throw Self.folderRemoved }
    }

    private mutating func discardingIfFailed(
        _ part: inout PartialFile, _ name: EntryName, _ body: (inout EntryStore, inout PartialFile) throws -> Void
    ) throws {
        try removingOlderIfFailed(name) { store in
            do {
                try body(&store, &part)
            } catch {
                store.discard(part)
                throw error
            }
        }
    }

    /// Removes the older entry for a key if a store fails.
    private mutating func removingOlderIfFailed<Result>(
        _ name: EntryName, _ body: (inout EntryStore) throws -> Result
    ) throws -> Result {
        do {
            return try body(&self)
        } catch {
            // If this fails too, the original failure is thrown.
            try? remove(name)
            throw error
        }
    }

    /// The folder was removed while an entry was written.
    private static var folderRemoved: DataCacheFailure { .inaccessible("The folder was removed") }
}
