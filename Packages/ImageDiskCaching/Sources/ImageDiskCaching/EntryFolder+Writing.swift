package import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The result of storing an entry.
package enum StoreResult: Sendable {
    case stored
    /// The entry is larger than the limit. The count includes key, metadata and trailer.
    case tooLarge(byteCount: Int)
}

/// The size of the largest entry that is written while the folder is locked. It takes about as long as one eviction
/// step.
private let largestWriteWhileLocked = 1 << 18

/// A file that is being written.
struct TemporaryFile {
    var file: Int32
    var writer: WriterNumber
    var path: String
}

extension EntryFolder {
    /// Stores an entry. Replaces an older entry atomically by renaming a temporary file.
    ///
    /// Reserves space first, so that the limit includes incomplete files. If the store fails or is rejected, the older
    /// entry for the key is removed if possible, because it is outdated.
    package func store(
        _ entry: DataCacheEntry, for key: DataCacheKey, name: EntryName
    ) throws(FileSystemFailure) -> StoreResult {
        let byteCount = EntryFormat.fileSize(of: entry, for: key)
        guard byteCount <= largestEntry, let tail = EntryFormat.Tail(of: entry, for: key).bytes else {
            try remove(name)
            return .tooLarge(byteCount: byteCount)
        }
        do {
            if options.durability == .processCrash, byteCount <= largestWriteWhileLocked {
                try writeWhileLocked(entry.data, tail, byteCount: byteCount, as: name)
            } else {
                try write(entry.data, tail, byteCount: byteCount, as: name)
            }
            return .stored
        } catch {
            removeOutdated(name)
            throw error
        }
    }

    private func write(
        _ data: Data, _ tail: [UInt8], byteCount: Int, as name: EntryName
    ) throws(FileSystemFailure) {
        let temporary = try createTemporary()
        defer { fileSystem.close(temporary.file) }
        do {
            try reserve(byteCount, for: name, writer: temporary.writer)
            try commit(temporary, data, tail, byteCount: byteCount, as: name)
        } catch {
            discard(temporary)
            throw error
        }
    }

    /// Stores an entry while the folder is locked, so that the file needs no lock.
    ///
    /// The file of a new entry has its final name from the start, which takes a third less time. Until its trailer is
    /// written, readers consider it damaged. If the process ends before that, the reservation in the index identifies
    /// the file.
    private func writeWhileLocked(
        _ data: Data, _ tail: [UInt8], byteCount: Int, as name: EntryName
    ) throws(FileSystemFailure) {
        try withSpace(for: byteCount, name) { () throws(FileSystemFailure) in
            let writer = newWriter()
            try record([.reserve(writer: writer, name: name, byteCount: byteCount)])
            do throws(FileSystemFailure) {
                let temporary = try createUnlocked(writer, name)
                defer { fileSystem.close(temporary.file) }
                do throws(FileSystemFailure) {
                    let stamp = try fill(temporary, data, tail)
                    try moveIntoPlace(temporary, byteCount: byteCount, stamp: stamp, as: name)
                } catch {
                    removeIfPossible(temporary.path)
                    throw error
                }
            } catch {
                release(writer)
                throw error
            }
        }
    }

    /// Creates a file with the name of the entry if it is free, otherwise a temporary file in the same folder.
    private func createUnlocked(_ writer: WriterNumber, _ name: EntryName) throws(FileSystemFailure) -> TemporaryFile {
        if state.withLock({ $0.index?[name] == nil }) {
            do {
                return try createInParentFolder(writer, path(name), name)
            } catch  where error.alreadyExists {
                // The file exists but is not in the index.
            }
        }
        let path = path(of: writer, beside: name)
        do {
            return try createInParentFolder(writer, path, name)
        } catch  where error.alreadyExists {
            // The file is a leftover. Only the process that has locked the folder creates such files.
            try fileSystem.remove(path)
            return try createInParentFolder(writer, path, name)
        }
    }

    private func createInParentFolder(
        _ writer: WriterNumber, _ path: String, _ name: EntryName
    ) throws(FileSystemFailure) -> TemporaryFile {
        do {
            return TemporaryFile(file: try fileSystem.create(path), writer: writer, path: path)
        } catch  where error.isNotFound {
            try makeParentFolder(of: name)
            return TemporaryFile(file: try fileSystem.create(path), writer: writer, path: path)
        }
    }

    /// Removes an entry and synchronizes its folder as the durability requires.
    package func remove(_ name: EntryName) throws(FileSystemFailure) {
        let exists: Void? = try withJournal { () throws(FileSystemFailure) in try removeFile(name) }
        if exists == nil { return }
        do {
            // This is necessary even if the file was missing. The process that evicted it may have ended before it did
            // this.
            try synchronizeNames(in: parentFolder(of: name))
        } catch  where error.isNotFound {
            // The folder is missing too.
        }
    }

    /// Completes a file, moves it to its path, and synchronizes as the durability requires.
    func commit(
        _ temporary: TemporaryFile, _ data: Data, _ tail: [UInt8], byteCount: Int, as name: EntryName
    ) throws(FileSystemFailure) {
        let stamp = try fill(temporary, data, tail)
        if options.durability != .processCrash { try fileSystem.synchronize(temporary.file) }
        _ = try withJournal(creating: true) { () throws(FileSystemFailure) in
            try moveIntoPlace(temporary, byteCount: byteCount, stamp: stamp, as: name)
        }
        try synchronizeNames(in: parentFolder(of: name))
    }

    /// Writes the rest of a file and sets its time. Returns the time.
    private func fill(_ temporary: TemporaryFile, _ data: Data, _ tail: [UInt8]) throws(FileSystemFailure) -> Int64 {
        try unsafe data.bytes.withUnsafeBytes { data throws(FileSystemFailure) in
            // A byte has no padding.
            try unsafe tail.span.bytes.withUnsafeBytes { tail throws(FileSystemFailure) in
                try unsafe fileSystem.write(data, tail, to: temporary.file)
            }
        }
        let stamp = nextStamp()
        try fileSystem.setModified(stamp, of: temporary.file)
        return stamp
    }

    /// Renames a file to the name of its entry if necessary, and updates the index. Requires the lock of the folder.
    private func moveIntoPlace(
        _ temporary: TemporaryFile, byteCount: Int, stamp: Int64, as name: EntryName
    ) throws(FileSystemFailure) {
        if temporary.path != path(name) { try moveIntoPlace(temporary.path, name) }
        let record = EntryIndex.Record(name: name, byteCount: byteCount, stamp: stamp)
        try self.record([insertion(record, releasing: temporary.writer)])
        state.withLock { $0.statistics.stored += 1 }
    }

    /// Returns the event that inserts an entry at its slot or at a free one.
    func insertion(_ record: EntryIndex.Record, releasing writer: WriterNumber? = nil) -> JournalFormat.Event {
        .insert(record, slot: state.withLock { $0.index?.slot(for: record.name) ?? 0 }, releasing: writer)
    }

    func put(_ bytes: RawSpan, into file: Int32) throws(FileSystemFailure) {
        try unsafe bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file)
        }
    }

    /// Creates and locks a temporary file. The lock shows other processes that the file is not stale.
    func createTemporary() throws(FileSystemFailure) -> TemporaryFile {
        for _ in 0..<16 {
            let writer = newWriter()
            do {
                if let temporary = try createTemporary(writer) { return temporary }
            } catch  where error.isNotFound {
                try makeRoot()
                try fileSystem.makeFolder(temporaryFolder)
            } catch  where error.alreadyExists {
                // The file belongs to another cache in this process, or to an ended process with the same ID.
            }
        }
        throw .contended
    }

    /// Returns a new number. An ended process with the same process ID may have left reservations, so their numbers are
    /// skipped.
    private func newWriter() -> WriterNumber {
        state.withLock { state in
            var writer = WriterNumber(process: UInt32(bitPattern: getpid()), count: state.temporaryCount)
            repeat { writer.count &+= 1 } while state.index?.reservations[writer] != nil
            state.temporaryCount = writer.count
            return writer
        }
    }

    /// Creates and locks a temporary file. Returns nil if another process removed it as stale before it was locked.
    private func createTemporary(_ writer: WriterNumber) throws(FileSystemFailure) -> TemporaryFile? {
        let path = temporaryPath(writer)
        let file = try fileSystem.create(path)
        do {
            if try fileSystem.lock(file), try fileSystem.status(of: file).hasName {
                return TemporaryFile(file: file, writer: writer, path: path)
            }
            fileSystem.close(file)
            return nil
        } catch {
            fileSystem.close(file)
            removeIfPossible(path)
            throw error
        }
    }

    func moveIntoPlace(_ path: String, _ name: EntryName) throws(FileSystemFailure) {
        do {
            try fileSystem.rename(path, to: self.path(name))
        } catch  where error.isNotFound {
            try makeParentFolder(of: name)
            try fileSystem.rename(path, to: self.path(name))
        }
    }

    /// Creates the folder of an entry, far from other folders on the device.
    ///
    /// Ext4 places files near their folder. Creating one takes longer if many files near it were removed in the last
    /// minutes.
    private func makeParentFolder(of name: EntryName) throws(FileSystemFailure) {
        let parent = parentFolder(of: name)
        fileSystem.scatterFolders(in: root)
        try fileSystem.makeFolder(parent)
        state.withLock { _ = $0.synchronizedFolders.remove(parent) }
    }

    func parentFolder(of name: EntryName) -> String {
        options.layout == .sharded ? folder(ofShard: name.shard) : root
    }

    /// Removes an incomplete file and its reservation.
    func discard(_ temporary: TemporaryFile) {
        removeIfPossible(temporary.path)
        do {
            _ = try withJournal { release(temporary.writer) }
        } catch {
            // The reservation is removed when the folder is opened or space is needed.
        }
    }

    /// Removes a reservation. Requires the lock of the folder.
    private func release(_ writer: WriterNumber) {
        guard state.withLock({ $0.index?.reservations[writer] != nil }) else { return }
        do {
            try record([.release(writer: writer)])
        } catch {
            // The caller throws the original failure. The reservation is removed when the folder is opened or space is
            // needed.
        }
    }

    private func removeIfPossible(_ path: String) {
        do {
            try fileSystem.remove(path)
        } catch {
            // The caller throws the original failure. The file is stale once it is closed, and is removed later.
        }
    }

    /// Removes the older entry for a key after a store failed.
    func removeOutdated(_ name: EntryName) {
        do {
            try remove(name)
        } catch {
            // The caller throws the original failure.
        }
    }
}
