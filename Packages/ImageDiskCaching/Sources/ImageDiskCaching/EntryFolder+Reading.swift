package import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What became of a look for an entry.
package enum Reading: Sendable {
    case entry(DataCacheEntry)
    /// Found, but the index does not know it: another process put it there. To be followed by `settle`.
    case newcomer(DataCacheEntry)
    /// A miss, and nothing to do.
    case absent
    /// A miss that the folder or the index has to be put right after, by `settle`.
    case unsettled
}

/// What a file under an entry's name turned out to be.
enum FileVerdict {
    case whole(DataCacheEntry, key: [UInt8])
    /// Short, altered, or not what the name stands for: of no use to anyone.
    case damaged
    /// Of another version of this room, which may share the folder.
    case otherVersion
    /// Larger than the whole budget: not worth the memory to look at.
    case oversized
    case absent
    /// A folder, a link, a pipe: none of ours.
    case foreign
}

extension EntryFolder {
    /// Reads the entry under `key` and notes that it was used. Runs beside anything.
    package func read(_ key: DataCacheKey, name: EntryName) throws(FileSystemFailure) -> Reading {
        let stamp = nextStamp()
        switch try inspect(name, stamp: stamp).verdict {
        case .whole(let entry, let bytes):
            guard key.source.utf8.elementsEqual(bytes) else { return .unsettled }
            let isKnown = noteUse(of: name, stamp: stamp)
            // A scan that ended since the stamp was taken could not see it, nor the stamp what the scan found.
            if state.withLock({ $0.index != nil && stamp <= $0.scannedNewest }) { try renewStamp(of: name) }
            return isKnown ? .entry(entry) : .newcomer(entry)
        case .absent: return state.withLock { $0.index?[name] != nil } ? .unsettled : .absent
        case .otherVersion, .foreign: return .absent
        case .damaged, .oversized: return .unsettled
        }
    }

    /// Makes folder and index agree about one name: a damaged file is removed, a newcomer is counted, what is gone is forgotten.
    package func settle(_ name: EntryName) throws(FileSystemFailure) {
        let (verdict, byteCount) = try inspect(name)
        switch verdict {
        case .whole(_, let key) where EntryName(keyBytes: key) == name:
            let stamp = nextStamp()
            state.withLock { state in
                if state.index?[name] != nil { return }
                state.index?.insert(RecencyIndex.Record(name: name, byteCount: byteCount, stamp: stamp))
            }
            try makeRoom(limit: byteLimit)
        case .whole, .damaged, .oversized: try removeFile(name)
        case .absent, .foreign: state.withLock { $0.index?.remove(name) }
        case .otherVersion: break
        }
    }

    /// Reads and judges the file of an entry.
    ///
    /// - Parameter stamp: the time of the use to leave on the file when it is whole; nil to leave it as it is.
    func inspect(
        _ name: EntryName, stamp: Int64? = nil
    ) throws(FileSystemFailure) -> (verdict: FileVerdict, byteCount: Int) {
        let file: Int32
        do {
            file = try fileSystem.openToRead(path(name))
        } catch  where error.isAbsence {
            return (.absent, 0)
        } catch  where error.isForeign {
            return (.foreign, 0)
        }
        defer { fileSystem.close(file) }
        let status = try fileSystem.status(of: file)
        guard status.isRegular else { return (.foreign, 0) }
        guard status.byteCount <= byteLimit else { return (.oversized, status.byteCount) }
        let verdict = try judge(file, byteCount: status.byteCount)
        if case .whole = verdict, let stamp { leave(stamp, on: file) }
        return (verdict, status.byteCount)
    }

    private func judge(_ file: Int32, byteCount: Int) throws(FileSystemFailure) -> FileVerdict {
        guard let buffer = FileBuffer(byteCount: byteCount) else { throw .noMemory }
        do {
            let count = try unsafe buffer.withMutableBytes { bytes throws(FileSystemFailure) in
                try unsafe fileSystem.read(file, into: bytes, at: 0)
            }
            guard count == byteCount else { return .damaged }
        } catch  where error.isDeviceError {
            return .damaged
        }
        switch buffer.withBytes(EntryFormat.judge) {
        case .damaged, .needs: return .damaged
        case .otherVersion: return .otherVersion
        case .whole(let layout):
            let (key, metadata) = (buffer.copy(layout.key), buffer.copy(layout.metadata))
            let data = buffer.prefix(layout.payload.count)
            return .whole(DataCacheEntry(data: data, metadata: Data(metadata), createdAt: layout.createdAt), key: key)
        }
    }

    /// Leaves the time of a use on a file, for later launches.
    private func leave(_ stamp: Int64, on file: Int32) {
        do {
            try fileSystem.setModified(stamp, of: file)
        } catch {
            // A folder that can only be read serves hits all the same; recency then lives as long as the process.
        }
    }

    /// False when the index is there and does not know the name.
    private func noteUse(of name: EntryName, stamp: Int64) -> Bool {
        state.withLock { state in
            if state.index == nil || state.isScanning { state.touches[name] = stamp }
            return state.index?.touch(name, stamp: stamp) ?? true
        }
    }
}
