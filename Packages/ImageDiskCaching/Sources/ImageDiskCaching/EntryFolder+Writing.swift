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

/// A file being written, locked by its writer.
struct Temporary {
    var file: Int32
    var writer: UInt64
    var path: String
}

extension EntryFolder {
    /// Stores an entry: to a temporary file, which then takes the entry's name in one step.
    ///
    /// Room is made and promised first, so that the files being written count as well. When it fails or refuses, the older entry
    /// under the key goes too, as far as the system lets it: it is out of date.
    package func store(
        _ entry: DataCacheEntry, for key: DataCacheKey, name: EntryName
    ) throws(FileSystemFailure) -> Storing {
        let byteCount = EntryFormat.fileSize(of: entry, for: key)
        guard byteCount <= byteLimit, let tail = EntryFormat.Tail(of: entry, for: key).bytes else {
            try remove(name)
            return .tooLarge(byteCount: byteCount)
        }
        do {
            try write(entry.data, tail, byteCount: byteCount, as: name)
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
            try put(data.bytes, into: temporary.file)
            try commit(temporary, tail, byteCount: byteCount, as: name)
        } catch {
            abandon(temporary)
            throw error
        }
    }

    package func remove(_ name: EntryName) throws(FileSystemFailure) {
        _ = try withJournal { () throws(FileSystemFailure) in try removeFile(name) }
    }

    /// Ends a file and moves it into place, with as much ceremony as the durability asks for.
    func commit(
        _ temporary: Temporary, _ tail: [UInt8], byteCount: Int, as name: EntryName
    ) throws(FileSystemFailure) {
        // Bytes are bytes: no padding can show.
        try unsafe put(tail.span.bytes, into: temporary.file)
        let stamp = nextStamp()
        try fileSystem.setModified(stamp, of: temporary.file)
        if options.durability != .processCrash { try fileSystem.synchronize(temporary.file) }
        _ = try withJournal(creating: true) { () throws(FileSystemFailure) in
            try moveIntoPlace(temporary.path, name)
            try record([
                .insert(EntryIndex.Record(name: name, byteCount: byteCount, stamp: stamp)),
                .release(writer: temporary.writer),
            ])
        }
        state.withLock { $0.statistics.stored += 1 }
        if options.durability == .powerLoss { try fileSystem.synchronizeFolder(home(of: name)) }
    }

    func put(_ bytes: RawSpan, into file: Int32) throws(FileSystemFailure) {
        try unsafe bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file)
        }
    }

    func createTemporary() throws(FileSystemFailure) -> Temporary {
        for _ in 0..<16 {
            let writer = newWriter()
            do {
                if let temporary = try createTemporary(writer) { return temporary }
            } catch  where error.isAbsence {
                try fileSystem.makeFolder(temporaryFolder)
            } catch  where error.isTaken {
                // By another cache of this process, or by a dead process of the same number.
            }
        }
        throw .contended
    }

    /// The number of this process, and one of its own that no dead process of the same number was promised room under.
    private func newWriter() -> UInt64 {
        let process = UInt64(UInt32(bitPattern: getpid())) << 32
        return state.withLock { state in
            repeat {
                state.temporaryCount &+= 1
            } while state.index?.reservations[process | UInt64(state.temporaryCount)] != nil
            return process | UInt64(state.temporaryCount)
        }
    }

    /// Nil when the file was taken for stale in the moment between its making and its locking, and perhaps removed.
    private func createTemporary(_ writer: UInt64) throws(FileSystemFailure) -> Temporary? {
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
            try fileSystem.makeFolder(home(of: name))
            try fileSystem.rename(path, to: self.path(name))
        }
    }

    private func home(of name: EntryName) -> String {
        options.layout == .sharded ? folder(ofShard: name.shard) : root
    }

    /// Gives up a file that was being written, and the room it was promised.
    func abandon(_ temporary: Temporary) {
        clearAway(temporary.path)
        do {
            _ = try withJournal { () throws(FileSystemFailure) in
                guard state.withLock({ $0.index?.reservations[temporary.writer] != nil }) else { return }
                try record([.release(writer: temporary.writer)])
            }
        } catch {
            // The failure that led here says more. The promise is taken back when the folder is next opened, or room is needed.
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
