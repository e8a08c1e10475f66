import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry that is being written to a file in `tmp`, whose name is random.
///
/// The writer locks the file, so that a file which isn't locked is the leftover of a process that has ended. A whole entry
/// is written in one lock of the folder. The length of a streamed file is the space that is reserved for it.
///
/// On Apple's platforms it is not locked, because the system ends an app that is suspended while it has locked a file in
/// the container of an app group (0xdead10cc). There, a file is a leftover an hour after the last write.
struct PartialFile {
    /// The time after the last write at which a part is a leftover; nil if writers lock their parts.
    static var leftoverAge: Duration? {
        #if canImport(ImageIO)
            .seconds(3_600)
        #else
            nil
        #endif
    }

    let name: EntryName
    let file: Int32
    let path: String
    let isStreamed: Bool
    /// The number of bytes that are counted as in use: the length of a streamed file, the final one of a whole file.
    var reserved = 0
    var payloadLength = 0
    var checksum = EntryChecksum()
}

/// Storing and removing entries.
///
/// ```text
/// begin    lock; create a part; evict until the entry fits; count it; unlock
/// append   write to the part
/// finish   lock; complete the part; rename it; subtract what it replaced; unlock
/// store    all of these in one lock
/// ```
/// If the process ends before the rename, the part is a leftover. If it ends after the rename, the entry is stored, and
/// the counter still contains the replaced one until the next scan.
extension EntryStore {
    /// The space reserved for key and metadata of a streamed entry, in addition to the expected data.
    private static let typicalTailSize = 4_096
    /// The space reserved if the length is unknown. The reservation is doubled when it is used up.
    private static let firstReservation = 1 << 20
    private static let folderWasRemoved = DataCacheFailure.inaccessible("The folder was removed")

    private var largestEntry: Int { folder.byteLimit - UsageFile.byteCount }

    mutating func store(_ entry: DataCacheEntry, for key: DataCacheKey, _ name: EntryName) throws {
        let byteCount = EntryFile.byteCount(payload: entry.data.count, key, entry.metadata)
        try step(name) { store in
            try store.expectFit(byteCount)
            _ = try store.locked(creating: true) { store in
                var part = try store.begin(name, byteCount, isStreamed: false)
                try store.append(entry.data, to: &part)
                try store.finish(part, key, entry.metadata, entry.createdAt)
            }
        }
    }

    /// Starts an entry of about the expected length, or of unknown length.
    mutating func beginStream(_ name: EntryName, expected: Int?) throws -> PartialFile {
        let wanted = expected.map { min($0, .max / 2) + Self.typicalTailSize } ?? Self.firstReservation
        return try step(name) { store in
            try store.expectFit(expected ?? 0)
            let part = try store.locked(creating: true) { store in
                try store.begin(name, min(wanted, store.largestEntry), isStreamed: true)
            }
            guard let part else { throw Self.folderWasRemoved }
            return part
        }
    }

    mutating func append(_ bytes: Data, to part: inout PartialFile) throws {
        try step(part.name, part) { store in
            let byteCount = part.payloadLength + bytes.count
            if byteCount > part.reserved {
                try store.expectFit(byteCount)
                let wanted = max(byteCount + Self.typicalTailSize, 2 * part.reserved)
                try store.reserve(min(wanted, store.largestEntry), for: &part)
            }
            try store.folder.fileSystem.write(bytes, to: part.file, at: part.payloadLength)
            if store.folder.leftoverAge != nil {
                try store.folder.fileSystem.setModified(store.folder.now(), at: part.path)
            }
            part.checksum.add(bytes)
            part.payloadLength += bytes.count
        }
    }

    mutating func finish(_ part: PartialFile, _ key: DataCacheKey, _ metadata: Data, _ createdAt: Date) throws {
        try step(part.name, part) { store in
            var part = part
            try store.reserve(EntryFile.byteCount(payload: part.payloadLength, key, metadata), for: &part)
            let tail = try EntryFile.tail(part.payloadLength, part.checksum, key, metadata, createdAt)
            try store.folder.fileSystem.write(tail, to: part.file, at: part.payloadLength)
            try store.lockedWith(part) { store in try store.moveIntoPlace(part) }
        }
        folder.fileSystem.closeFile(part.file)
    }

    mutating func discard(_ part: PartialFile) {
        // If this fails, the part is a leftover, once it is closed or old. A scan then removes it and corrects the counter.
        try? lockedWith(part) { store in
            let length = try store.folder.fileSystem.status(of: part.file).byteCount
            try store.folder.fileSystem.remove(part.path)
            try store.addUsed(part.isStreamed ? -length : -part.reserved)
        }
        folder.fileSystem.closeFile(part.file)
    }

    mutating func remove(_ name: EntryName) throws { _ = try locked { store in try store.removeFile(name) } }

    private func expectFit(_ byteCount: Int) throws {
        if byteCount > largestEntry {
            throw DataCacheFailure.tooLarge(bytes: byteCount, allowed: max(0, largestEntry))
        }
    }

    /// Creates a part and reserves space for it. Requires the lock.
    private mutating func begin(_ name: EntryName, _ byteCount: Int, isStreamed: Bool) throws -> PartialFile {
        let path = "\(folder.temporary)/\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
        let file = try folder.fileSystem.creatingFolder(folder.temporary) { try folder.fileSystem.create(path) }
        var part = PartialFile(name: name, file: file, path: path, isStreamed: isStreamed)
        try step(name, part) { store in
            // If the folder was removed, the part can be in a new one, which has another lock and another counter.
            try store.usage.requireCurrent()
            if store.folder.leftoverAge == nil { _ = try store.folder.fileSystem.lock(part.file, waits: false) }
            try store.reserve(byteCount, for: &part)
        }
        return part
    }

    /// Changes the number of bytes that are counted for a part, and the length of a streamed one.
    private mutating func reserve(_ byteCount: Int, for part: inout PartialFile) throws {
        let more = byteCount - part.reserved
        if more == 0 { return }
        try expectFit(byteCount)
        try lockedWith(part) { store in
            if more > 0 {
                try store.makeRoom(for: more, replacing: part.name)
                try store.addUsed(more)
            }
            if part.isStreamed { try store.folder.fileSystem.truncate(part.file, to: byteCount) }
            part.reserved = byteCount
            if more < 0 { try store.addUsed(more) }
        }
    }

    /// Renames a complete part, and subtracts what it replaces. Requires the lock.
    private mutating func moveIntoPlace(_ part: PartialFile) throws {
        let path = folder.path(part.name)
        try folder.fileSystem.setModified(folder.now(), at: part.path)
        let replaced = try fileSize(path)
        try folder.fileSystem.creatingFolder(folder.folder(of: part.name)) {
            try folder.fileSystem.rename(part.path, to: path)
        }
        folder.uses.forget(part.name)
        if let replaced { try addUsed(-replaced) }
    }

    /// Locks the folder. Throws if it was removed since the part was created.
    private mutating func lockedWith(_ part: PartialFile, _ body: (inout EntryStore) throws -> Void) throws {
        // While a whole entry is stored, its part can't get into another folder.
        let result: Void? = try locked { store in
            if try part.isStreamed && !store.folder.fileSystem.isCurrent(part.file, at: part.path) {
                throw Self.folderWasRemoved
            }
            try body(&store)
        }
        if result == nil { throw Self.folderWasRemoved }
    }

    /// Runs a step of a store. If it fails or is refused, the part and the outdated entry for the key are removed.
    private mutating func step<Result>(
        _ name: EntryName, _ part: PartialFile? = nil, _ body: (inout EntryStore) throws -> Result
    ) throws -> Result {
        do {
            return try body(&self)
        } catch {
            if let part { discard(part) }
            // If this fails too, the original failure is thrown.
            try? remove(name)
            throw error
        }
    }
}
