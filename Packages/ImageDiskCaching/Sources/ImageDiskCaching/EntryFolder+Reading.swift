package import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The largest file that is read in the caller's own turn: copying it and computing its checksum take about 0.1 ms.
private let largestReadAtOnce = 1 << 20
/// So many uses are told to the index's file in one go.
private let useBatch = 256

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
    case whole(DataCacheEntry, key: DataCacheKey)
    /// Short, altered, or not what the name stands for: of no use to anyone.
    case damaged
    /// Of another version of this module, which may share the folder.
    case otherVersion
    /// Larger than the whole budget: not worth the memory to look at.
    case oversized
    case absent
    /// A folder, a link, a pipe: none of ours.
    case foreign
}

extension EntryFolder {
    /// Reads the entry under `key` if the system has it in memory, by calls that refuse to wait for a device. Runs beside anything,
    /// on any thread. Nil when `read` has to look: for a device has to be waited for, or something is not as the index says.
    package func readAtOnce(_ key: DataCacheKey, name: EntryName) -> Reading? {
        let (isOpen, known) = state.withLock { state in (state.index != nil, state.index?[name]) }
        guard isOpen, known.map({ $0.byteCount <= largestReadAtOnce && !isOld($0) }) != false else { return nil }
        do {
            guard let file = try fileSystem.openToReadAtOnce(path(name)) else { return nil }
            defer { fileSystem.close(file) }
            guard let known, case .whole(let entry, let found) = try judgeAtOnce(file, known.byteCount), found == key
            else { return nil }
            noteHit(of: name)
            return .entry(entry)
        } catch  where error.isAbsence && known == nil {
            noteMiss()
            return .absent
        } catch {
            // `read` meets the same failure, and tells it.
            return nil
        }
    }

    /// Reads the entry under `key` and notes that it was used. Runs beside anything.
    package func read(_ key: DataCacheKey, name: EntryName) throws(FileSystemFailure) -> Reading {
        if let known = state.withLock({ $0.index?[name] }), isOld(known) {
            noteMiss()
            return .unsettled
        }
        switch try inspect(name).verdict {
        case .whole(let entry, key):
            return noteHit(of: name) ? .entry(entry) : .newcomer(entry)
        case .absent:
            noteMiss()
            return state.withLock { $0.index?[name] != nil } ? .unsettled : .absent
        case .otherVersion, .foreign:
            noteMiss()
            return .absent
        case .whole, .damaged, .oversized:
            noteMiss()
            return .unsettled
        }
    }

    /// Makes folder and index agree about one name: a damaged file is removed, a newcomer is counted, what is gone is forgotten.
    package func settle(_ name: EntryName) throws(FileSystemFailure) {
        _ = try withJournal { () throws(FileSystemFailure) in
            let known = state.withLock { $0.index?[name] }
            if let known, isOld(known) { return try evict(known, .age) }
            let (verdict, byteCount) = try inspect(name)
            switch verdict {
            case .whole(_, let key) where self.name(key) == name:
                if known == nil { try record([insertion(.init(name: name, byteCount: byteCount, stamp: nextStamp()))]) }
            case .whole, .damaged, .oversized:
                try removeFile(name)
                state.withLock { $0.statistics.damaged += 1 }
            case .absent, .foreign: if known != nil { try record([.remove(name)]) }
            case .otherVersion: break
            }
        }
        while try shrinkStep() != nil {}
    }

    /// Reads and judges the file of an entry.
    func inspect(_ name: EntryName) throws(FileSystemFailure) -> (verdict: FileVerdict, byteCount: Int) {
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
        guard let buffer = FileBuffer(byteCount: status.byteCount) else { throw .noMemory }
        do {
            let count = try unsafe buffer.withMutableBytes { bytes throws(FileSystemFailure) in
                try unsafe fileSystem.read(file, into: bytes, at: 0)
            }
            return (count == status.byteCount ? judge(buffer, count) : .damaged, status.byteCount)
        } catch  where error.isDeviceError {
            return (.damaged, status.byteCount)
        }
    }

    private func judgeAtOnce(_ file: Int32, _ byteCount: Int) throws(FileSystemFailure) -> FileVerdict? {
        // One byte more, to notice that the file is longer than the index says.
        guard let buffer = FileBuffer(byteCount: byteCount + 1) else { return nil }
        let count = try unsafe buffer.withMutableBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.readAtOnce(file, into: bytes)
        }
        return count == byteCount ? judge(buffer, byteCount) : nil
    }

    private func judge(_ buffer: consuming FileBuffer, _ byteCount: Int) -> FileVerdict {
        switch buffer.withBytes({ EntryFormat.judge($0.extracting(0..<byteCount)) }) {
        case .damaged, .needs: return .damaged
        case .otherVersion: return .otherVersion
        case .whole(let layout):
            let (key, metadata) = (buffer.text(layout.key), buffer.copy(layout.metadata))
            let data = buffer.prefix(layout.payload.count)
            return .whole(
                DataCacheEntry(data: data, metadata: metadata, createdAt: layout.createdAt),
                key: DataCacheKey(source: key))
        }
    }

    // MARK: Uses

    /// True when an entry was not used for longer than it may.
    func isOld(_ record: EntryIndex.Record) -> Bool {
        guard let limit = options.ageLimit else { return false }
        return record.stamp < Self.nanoseconds(now()) - limit.inNanoseconds
    }

    private func noteMiss() { state.withLock { $0.statistics.misses += 1 } }

    /// False when the index is there and does not know the name.
    @discardableResult
    func noteHit(of name: EntryName) -> Bool {
        let time = Self.nanoseconds(now())
        return state.withLock { state in
            state.statistics.hits += 1
            let stamp = state.nextStamp(time)
            // Where nothing can be written down, they must not pile up.
            if state.uses.count < 16 * useBatch {
                state.uses.append(PendingUse(name: name, stamp: stamp, isEarly: state.index == nil))
            }
            return state.index?.use(name, stamp: stamp) ?? true
        }
    }

    /// Returns true once when this process has many unwritten uses. The caller then writes them.
    package func requestsFlush() -> Bool {
        state.withLock { state in
            if state.uses.count < useBatch || state.isFlushRequested { return false }
            state.isFlushRequested = true
            return true
        }
    }

    /// Writes down the uses that only this process knows of.
    package func flush() throws(FileSystemFailure) {
        if state.withLock({ !$0.uses.isEmpty }) { _ = try withJournal {} }
    }
}

extension Duration {
    /// Kept within what 64 bits hold.
    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Int64(
            clamping: min(max(seconds, -9_000_000_000), 9_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
