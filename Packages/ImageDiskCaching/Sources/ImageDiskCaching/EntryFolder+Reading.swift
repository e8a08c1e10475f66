package import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The size of the largest file that is read on the caller's thread, which takes about 0.1 ms.
private let largestNonblockingRead = 1 << 20
/// The number of uses that are written to the index at a time.
private let usesPerFlush = 256

/// The result of a lookup.
package enum ReadResult: Sendable {
    case entry(DataCacheEntry)
    /// The entry exists but is not in the index, because another process stored it. Call `reconcile` next.
    case unindexed(DataCacheEntry)
    /// The entry is missing.
    case absent
    /// The file or its record in the index is damaged, outdated or missing. This is a miss. Call `reconcile` next.
    case inconsistent
}

/// The result of reading and validating the file with an entry's name.
enum InspectionResult {
    case intact(DataCacheEntry, key: DataCacheKey)
    /// The file is truncated or altered.
    case damaged
    /// The file has the format of another version of this module, which may share the folder.
    case otherVersion
    /// The file is larger than the limit. It was not read.
    case oversized
    case absent
    /// The file is not a regular file, for example a folder, a link or a pipe.
    case foreign
}

extension EntryFolder {
    /// Reads an entry from the page cache, with non-blocking calls. Can be called from any thread.
    ///
    /// - Returns: The result, or nil if the call would block or the file differs from the index. Call `read` then.
    package func readNonblocking(_ key: DataCacheKey, name: EntryName) -> ReadResult? {
        let (isOpen, known) = state.withLock { state in
            let known = state.index?.lookUp(name)
            return (known != nil || state.index != nil, known)
        }
        guard isOpen, known.map({ $0.byteCount <= largestNonblockingRead && !isExpired($0) }) != false else {
            return nil
        }
        do {
            guard let file = try fileSystem.openToReadNonblocking(path(name)) else { return nil }
            defer { fileSystem.close(file) }
            guard let known, case .intact(let entry, let found) = try validateNonblocking(file, known.byteCount),
                found == key
            else { return nil }
            noteHit(of: name)
            return .entry(entry)
        } catch  where error.isNotFound && known == nil {
            noteMiss()
            return .absent
        } catch {
            // `read` throws the failure.
            return nil
        }
    }

    /// Reads an entry and records the use. Can be called from any thread.
    package func read(_ key: DataCacheKey, name: EntryName) throws(FileSystemFailure) -> ReadResult {
        if let known = state.withLock({ $0.index?[name] }), isExpired(known) {
            noteMiss()
            return .inconsistent
        }
        switch try inspect(name).result {
        case .intact(let entry, key):
            return noteHit(of: name) ? .entry(entry) : .unindexed(entry)
        case .absent:
            noteMiss()
            return state.withLock { $0.index?[name] != nil } ? .inconsistent : .absent
        case .otherVersion, .foreign:
            noteMiss()
            return .absent
        case .intact, .damaged, .oversized:
            noteMiss()
            return .inconsistent
        }
    }

    /// Makes folder and index consistent for one name: removes a damaged file, and adds or removes the record.
    ///
    /// Returns true if a damaged file was removed. A file that another cache was still writing may be intact by now.
    @discardableResult
    package func reconcile(_ name: EntryName) throws(FileSystemFailure) -> Bool {
        let isRemoved = try withJournal { () throws(FileSystemFailure) in try removeIfDamaged(name) }
        while try shrinkStep() != nil {}
        return isRemoved ?? false
    }

    private func removeIfDamaged(_ name: EntryName) throws(FileSystemFailure) -> Bool {
        let known = state.withLock { $0.index?[name] }
        if let known, isExpired(known) {
            try evict(known, .age)
            return false
        }
        let (result, byteCount) = try inspect(name)
        switch result {
        case .intact(_, let key) where self.name(key) == name:
            if known == nil { try record([insertion(.init(name: name, byteCount: byteCount, stamp: nextStamp()))]) }
        case .intact, .damaged, .oversized:
            try removeFile(name)
            state.withLock { $0.statistics.damaged += 1 }
            return true
        case .absent, .foreign: if known != nil { try record([.remove(name)]) }
        case .otherVersion: break
        }
        return false
    }

    /// Reads and validates the file of an entry.
    func inspect(_ name: EntryName) throws(FileSystemFailure) -> (result: InspectionResult, byteCount: Int) {
        let file: Int32
        do {
            file = try fileSystem.openToRead(path(name))
        } catch  where error.isNotFound {
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
            return (count == status.byteCount ? validate(buffer, count) : .damaged, status.byteCount)
        } catch  where error.isDeviceError {
            return (.damaged, status.byteCount)
        }
    }

    private func validateNonblocking(_ file: Int32, _ byteCount: Int) throws(FileSystemFailure) -> InspectionResult? {
        // One more byte detects a file that is longer than its record in the index.
        guard let buffer = FileBuffer(byteCount: byteCount + 1) else { return nil }
        let count = try unsafe buffer.withMutableBytes { bytes throws(FileSystemFailure) in
            try unsafe fileSystem.readNonblocking(file, into: bytes)
        }
        return count == byteCount ? validate(buffer, byteCount) : nil
    }

    private func validate(_ buffer: consuming FileBuffer, _ byteCount: Int) -> InspectionResult {
        switch buffer.withBytes({ EntryFormat.validate($0.extracting(0..<byteCount)) }) {
        case .damaged, .needs: return .damaged
        case .otherVersion: return .otherVersion
        case .intact(let layout):
            let (key, metadata) = (buffer.text(layout.key), buffer.copy(layout.metadata))
            let data = buffer.prefix(layout.payload.count)
            return .intact(
                DataCacheEntry(data: data, metadata: metadata, createdAt: layout.createdAt),
                key: DataCacheKey(source: key))
        }
    }

    // MARK: Uses

    /// Returns true if an entry was not used for longer than the age limit.
    func isExpired(_ record: EntryIndex.Record) -> Bool {
        guard let limit = options.ageLimit else { return false }
        return record.stamp < Self.nanoseconds(now(), minus: limit)
    }

    private func noteMiss() { state.withLock { $0.statistics.misses += 1 } }

    /// Records a hit. Returns false if the index is loaded and doesn't contain the name.
    @discardableResult
    func noteHit(of name: EntryName) -> Bool {
        let time = Self.nanoseconds(now())
        return state.withLock { state in
            state.statistics.hits += 1
            let stamp = state.nextStamp(time)
            let isKnown = state.index?.use(name, stamp: stamp)
            // There are so many pending uses only if they can't be written.
            if state.uses.count < 16 * usesPerFlush {
                state.uses.append(PendingUse(name: name, stamp: stamp, isEarly: isKnown == nil))
            }
            return isKnown ?? true
        }
    }

    /// Returns true once if there are many pending uses. The caller that receives true writes them.
    package func requestsFlush() -> Bool {
        state.withLock { state in
            if state.uses.count < usesPerFlush || state.isFlushRequested { return false }
            state.isFlushRequested = true
            return true
        }
    }

    /// Writes the pending uses to the index.
    package func flush() throws(FileSystemFailure) {
        if state.withLock({ !$0.uses.isEmpty }) { _ = try withJournal {} }
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to ±9 × 10^18.
    fileprivate var inNanoseconds: Int64 {
        let most = Duration.seconds(9_000_000_000)
        let (seconds, attoseconds) = min(max(self, .zero - most), most).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

extension EntryFolder {
    /// Nanoseconds from 1970 to an age before a date, clamped to what fits.
    static func nanoseconds(_ date: Date, minus age: Duration) -> Int64 {
        let (time, overflows) = nanoseconds(date).subtractingReportingOverflow(age.inNanoseconds)
        return overflows ? (age > .zero ? .min : .max) : time
    }
}
