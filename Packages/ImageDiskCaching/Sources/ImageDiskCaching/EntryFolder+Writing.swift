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

extension EntryFolder {
    /// Stores an entry: to a temporary file, which then takes the entry's name in one step.
    ///
    /// Makes room first, so that the files being written count as well. When it fails or refuses, the older entry under the
    /// key goes too, as far as the system lets it: it is out of date.
    package func store(
        _ entry: DataCacheEntry, for key: DataCacheKey, name: EntryName
    ) throws(FileSystemFailure) -> Storing {
        try openIfNeeded()
        let byteCount = EntryFormat.fileSize(of: entry, for: key)
        guard byteCount <= byteLimit, let tail = EntryFormat.Tail(of: entry, for: key).bytes else {
            try removeFile(name)
            return .tooLarge(byteCount: byteCount)
        }
        do {
            try write(entry.data, tail, as: name)
            return .stored
        } catch {
            withdraw(name)
            throw error
        }
    }

    package func remove(_ name: EntryName) throws(FileSystemFailure) { try removeFile(name) }

    /// Tries again after putting back what somebody removed underneath: the folder, or a temporary file taken for stale.
    private func write(_ data: Data, _ tail: [UInt8], as name: EntryName) throws(FileSystemFailure) {
        for _ in 0..<3 {
            do {
                return try writeOnce(data, tail, as: name)
            } catch  where error.isAbsence {
                try fileSystem.makeFolder(temporaryFolder)
                try rescan()
            }
        }
        try writeOnce(data, tail, as: name)
    }

    private func writeOnce(_ data: Data, _ tail: [UInt8], as name: EntryName) throws(FileSystemFailure) {
        let byteCount = data.count + tail.count
        try makeRoom(for: byteCount, replacing: name)
        let (file, path) = try createTemporary()
        defer { fileSystem.close(file) }
        let stamp = nextStamp()
        do {
            try fill(file, data, tail, stamp: stamp)
            try moveIntoPlace(path, name)
        } catch {
            clearAway(path)
            throw error
        }
        state.withLock { $0.index?.insert(RecencyIndex.Record(name: name, byteCount: byteCount, stamp: stamp)) }
        if durability == .powerLoss { try fileSystem.synchronizeFolder(folder(ofShard: name.shard)) }
    }

    private func fill(_ file: Int32, _ data: Data, _ tail: [UInt8], stamp: Int64) throws(FileSystemFailure) {
        guard try fileSystem.lock(file) else { throw .stolen }
        try put(data.bytes, into: file)
        // Bytes are bytes: no padding can show.
        try unsafe put(tail.span.bytes, into: file)
        try fileSystem.setModified(stamp, of: file)
        if durability == .powerLoss { try fileSystem.synchronize(file) }
    }

    private func put(_ bytes: RawSpan, into file: Int32) throws(FileSystemFailure) {
        try unsafe bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.write(bytes, to: file)
        }
    }

    /// Neighbours go only if the older entry's room is not enough.
    private func makeRoom(for byteCount: Int, replacing name: EntryName) throws(FileSystemFailure) {
        let isTight = state.withLock { state in
            guard let index = state.index, index[name] != nil else { return false }
            return index.byteCount + byteCount > byteLimit
        }
        if isTight { try removeFile(name) }
        try makeRoom(for: byteCount, limit: byteLimit)
    }

    private func createTemporary() throws(FileSystemFailure) -> (file: Int32, path: String) {
        while true {
            let number = state.withLock { state in
                state.temporaryCount += 1
                return state.temporaryCount
            }
            let path = "\(temporaryFolder)/\(getpid())-\(number).part"
            do {
                return (try fileSystem.create(path), path)
            } catch  where error.isTaken && number < .max {
                // By another cache of this process, or by a dead process of the same number.
            }
        }
    }

    private func moveIntoPlace(_ path: String, _ name: EntryName) throws(FileSystemFailure) {
        do {
            try fileSystem.rename(path, to: self.path(name))
        } catch  where error.isAbsence {
            try fileSystem.makeFolder(folder(ofShard: name.shard))
            try fileSystem.rename(path, to: self.path(name))
        }
    }

    private func clearAway(_ path: String) {
        do {
            try fileSystem.remove(path)
        } catch {
            // The failure that led here says more. What stays is stale once it is closed, and removed when the folder is next opened.
        }
    }

    private func withdraw(_ name: EntryName) {
        do {
            try removeFile(name)
        } catch {
            // The failure that led here says more.
        }
    }
}
