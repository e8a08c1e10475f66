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

/// What became of an entry to be stored.
package enum Storing: Sendable {
    case stored
    /// Refused: larger than the whole budget. Bytes with the key, the metadata and the trailer.
    case tooLarge(byteCount: Int)
}

/// Entries up to this length are written while the folder is locked. It takes about as long as one step of an eviction.
private let largestWriteAtOnce = 1 << 18

/// A file being written.
struct Temporary {
    var file: Int32
    var writer: WriterNumber
    var path: String
}

extension EntryFolder {
    /// Stores an entry: to a temporary file, which then takes the entry's name in one step, or to a new one that nobody takes for
    /// whole before it is.
    ///
    /// Space is made and promised first, so that the files being written count as well. When it fails or refuses, the older entry
    /// under the key goes too, as far as the system lets it: it is out of date.
    package func store(
        _ entry: DataCacheEntry, for key: DataCacheKey, name: EntryName
    ) throws(FileSystemFailure) -> Storing {
        let byteCount = EntryFormat.fileSize(of: entry, for: key)
        guard byteCount <= largestEntry, let tail = EntryFormat.Tail(of: entry, for: key).bytes else {
            try remove(name)
            return .tooLarge(byteCount: byteCount)
        }
        do {
            if options.durability == .processCrash, byteCount <= largestWriteAtOnce {
                try writeAtOnce(entry.data, tail, byteCount: byteCount, as: name)
            } else {
                try write(entry.data, tail, byteCount: byteCount, as: name)
            }
            return .stored
        } catch {
            withdraw(name)
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
            abandon(temporary)
            throw error
        }
    }

    /// As `write`, with the folder locked once and for all of it: so nobody can take the file for stale, and it needs no lock.
    ///
    /// A new entry's file has its name from the beginning, which takes a third less time. Nobody takes it for whole before its
    /// trailer is there, and if it stays without one, the promise tells of it.
    private func writeAtOnce(
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
                    clearAway(temporary.path)
                    throw error
                }
            } catch {
                release(writer)
                throw error
            }
        }
    }

    /// Makes a file under an entry's name if that is free, and otherwise one beside it.
    private func createUnlocked(_ writer: WriterNumber, _ name: EntryName) throws(FileSystemFailure) -> Temporary {
        if state.withLock({ $0.index?[name] == nil }) {
            do {
                return try createAtHome(writer, path(name), name)
            } catch  where error.isTaken {
                // By something that the index does not know.
            }
        }
        let path = path(of: writer, beside: name)
        do {
            return try createAtHome(writer, path, name)
        } catch  where error.isTaken {
            // Left by a dead process: only who has locked the folder makes any.
            try fileSystem.remove(path)
            return try createAtHome(writer, path, name)
        }
    }

    private func createAtHome(
        _ writer: WriterNumber, _ path: String, _ name: EntryName
    ) throws(FileSystemFailure) -> Temporary {
        do {
            return Temporary(file: try fileSystem.create(path), writer: writer, path: path)
        } catch  where error.isAbsence {
            try makeHome(of: name)
            return Temporary(file: try fileSystem.create(path), writer: writer, path: path)
        }
    }

    package func remove(_ name: EntryName) throws(FileSystemFailure) {
        let isThere: Void? = try withJournal { () throws(FileSystemFailure) in try removeFile(name) }
        if isThere == nil { return }
        do {
            // Even if it was not there: the process that evicted it may have died before the device had the change.
            try settleNames(in: home(of: name))
        } catch  where error.isAbsence {
            // Nor was its folder.
        }
    }

    /// Ends a file and moves it into place, with as much ceremony as the durability asks for.
    func commit(
        _ temporary: Temporary, _ data: Data, _ tail: [UInt8], byteCount: Int, as name: EntryName
    ) throws(FileSystemFailure) {
        let stamp = try fill(temporary, data, tail)
        if options.durability != .processCrash { try fileSystem.synchronize(temporary.file) }
        _ = try withJournal(creating: true) { () throws(FileSystemFailure) in
            try moveIntoPlace(temporary, byteCount: byteCount, stamp: stamp, as: name)
        }
        try settleNames(in: home(of: name))
    }

    /// Writes the rest of a file, and sets its time to now; returns that.
    private func fill(_ temporary: Temporary, _ data: Data, _ tail: [UInt8]) throws(FileSystemFailure) -> Int64 {
        try unsafe data.bytes.withUnsafeBytes { data throws(FileSystemFailure) in
            // Bytes are bytes: no padding can show.
            try unsafe tail.span.bytes.withUnsafeBytes { tail throws(FileSystemFailure) in
                try unsafe fileSystem.write(data, tail, to: temporary.file)
            }
        }
        let stamp = nextStamp()
        try fileSystem.setModified(stamp, of: temporary.file)
        return stamp
    }

    /// Gives a file its entry's name, unless it has that already, and tells the index. Only while the folder is locked.
    private func moveIntoPlace(
        _ temporary: Temporary, byteCount: Int, stamp: Int64, as name: EntryName
    ) throws(FileSystemFailure) {
        if temporary.path != path(name) { try moveIntoPlace(temporary.path, name) }
        let record = EntryIndex.Record(name: name, byteCount: byteCount, stamp: stamp)
        try self.record([insertion(record, keeping: temporary.writer)])
        state.withLock { $0.statistics.stored += 1 }
    }

    /// The event of an entry that is there, at the slot that it has or gets.
    func insertion(_ record: EntryIndex.Record, keeping writer: WriterNumber? = nil) -> JournalFormat.Event {
        .insert(record, slot: state.withLock { $0.index?.slot(for: record.name) ?? 0 }, keeping: writer)
    }

    func put(_ bytes: RawSpan, into file: Int32) throws(FileSystemFailure) {
        try unsafe bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file)
        }
    }

    /// Makes a file to write an entry into. Its lock tells that it is being written, so that nobody takes it for stale.
    func createTemporary() throws(FileSystemFailure) -> Temporary {
        for _ in 0..<16 {
            let writer = newWriter()
            do {
                if let temporary = try createTemporary(writer) { return temporary }
            } catch  where error.isAbsence {
                try makeRoot()
                try fileSystem.makeFolder(temporaryFolder)
            } catch  where error.isTaken {
                // By another cache of this process, or by a dead process of the same number.
            }
        }
        throw .contended
    }

    /// The number of this process, and one of its own that no dead process of the same number was promised space under.
    private func newWriter() -> WriterNumber {
        state.withLock { state in
            var writer = WriterNumber(process: UInt32(bitPattern: getpid()), count: state.temporaryCount)
            repeat { writer.count &+= 1 } while state.index?.reservations[writer] != nil
            state.temporaryCount = writer.count
            return writer
        }
    }

    /// Nil when the file was taken for stale in the moment between its making and its locking, and perhaps removed.
    private func createTemporary(_ writer: WriterNumber) throws(FileSystemFailure) -> Temporary? {
        let path = temporaryPath(writer)
        let file = try fileSystem.create(path)
        do {
            if try fileSystem.lock(file), try fileSystem.status(of: file).hasName {
                return Temporary(file: file, writer: writer, path: path)
            }
            fileSystem.close(file)
            return nil
        } catch {
            fileSystem.close(file)
            clearAway(path)
            throw error
        }
    }

    func moveIntoPlace(_ path: String, _ name: EntryName) throws(FileSystemFailure) {
        do {
            try fileSystem.rename(path, to: self.path(name))
        } catch  where error.isAbsence {
            try makeHome(of: name)
            try fileSystem.rename(path, to: self.path(name))
        }
    }

    /// Makes an entry's folder, apart from the others on the device: ext4 lays files near their folder, and takes the longer to
    /// make one the more were removed near it in the last minutes.
    private func makeHome(of name: EntryName) throws(FileSystemFailure) {
        let home = home(of: name)
        fileSystem.scatterFolders(in: root)
        try fileSystem.makeFolder(home)
        state.withLock { _ = $0.settledFolders.remove(home) }
    }

    func home(of name: EntryName) -> String {
        options.layout == .sharded ? folder(ofShard: name.shard) : root
    }

    /// Gives up a file that was being written, and the space reserved for it.
    func abandon(_ temporary: Temporary) {
        clearAway(temporary.path)
        do {
            _ = try withJournal { release(temporary.writer) }
        } catch {
            // As in `release`.
        }
    }

    /// Takes a promise back. Only while the folder is locked.
    private func release(_ writer: WriterNumber) {
        guard state.withLock({ $0.index?.reservations[writer] != nil }) else { return }
        do {
            try record([.release(writer: writer)])
        } catch {
            // The failure that led here says more. The promise is taken back when the folder is next opened, or space is needed.
        }
    }

    private func clearAway(_ path: String) {
        do {
            try fileSystem.remove(path)
        } catch {
            // As above: what stays is stale once it is closed.
        }
    }

    /// Removes the older entry under a key that could not be stored.
    func withdraw(_ name: EntryName) {
        do {
            try remove(name)
        } catch {
            // The failure that led here says more.
        }
    }
}
