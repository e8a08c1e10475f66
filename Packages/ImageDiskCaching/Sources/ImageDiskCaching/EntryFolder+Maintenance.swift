package import ImageCore
import Synchronization

extension EntryFolder {
    /// Returns the size and age of the folder's contents. Changes nothing.
    package func status() throws(FileSystemFailure) -> DiskCacheStatus {
        do {
            let status = try withJournal {
                state.withLock { state in
                    let table = (state.index?.slotCount ?? 0) * JournalFormat.slotSize
                    return Self.status(state.index, indexByteCount: table + (state.journal?.end ?? 0), state.byteLimit)
                }
            }
            return status ?? Self.status(nil, byteLimit)
        } catch  where error.isForbidden {
            return Self.status(try scan(EntryIndex()), byteLimit)
        }
    }

    private static func status(
        _ index: EntryIndex?, indexByteCount: Int = 0, _ byteLimit: Int
    ) -> DiskCacheStatus {
        let stamps = index?.stamps
        return DiskCacheStatus(
            entryCount: index?.count ?? 0, byteCount: index?.byteCount ?? 0, indexByteCount: indexByteCount,
            byteLimit: byteLimit,
            oldestUse: (stamps?.lowerBound).map(date), newestUse: (stamps?.upperBound).map(date))
    }

    /// Removes all entries. Continues after a failure and throws the first one at the end.
    package func removeAll() throws(FileSystemFailure) {
        var firstFailure: FileSystemFailure?
        for folder in try folders() {
            let exists: Void? = try withJournal { () throws(FileSystemFailure) in
                for (name, _) in try entries(in: folder) {
                    do throws(FileSystemFailure) {
                        try removeFile(name)
                    } catch {
                        firstFailure = firstFailure ?? error
                    }
                }
            }
            if exists != nil { try synchronizeNames(in: folder) }
        }
        try rebuildIndex()
        if let firstFailure { throw firstFailure }
    }

    /// Removes the leftovers of ended processes. This is the first part of a verification.
    package func beginVerification() throws(FileSystemFailure) -> DiskCacheVerification {
        var report = DiskCacheVerification()
        do {
            report.temporariesRemoved = try withJournal { () throws(FileSystemFailure) in try reclaim() } ?? 0
        } catch  where error.isForbidden {
            report.unrepaired.append("entries.index: \(error.text)")
        }
        return report
    }

    /// The folders that can contain entries.
    package func folders() throws(FileSystemFailure) -> [String] { try [root] + shards().map(folder(ofShard:)) }

    /// Reads all entries of one folder and removes the damaged ones.
    package func verify(folder: String) throws(FileSystemFailure) -> DiskCacheVerification {
        var report = DiskCacheVerification()
        for (name, file) in try entries(in: folder) {
            do {
                try verify(name, into: &report)
            } catch {
                report.unrepaired.append("\(folder.dropFirst(root.count + 1))/\(file.name): \(error.text)")
            }
        }
        return report
    }

    /// Rebuilds the index from the folder. This is the last part of a verification.
    package func rebuildIndex() throws(FileSystemFailure) {
        do {
            _ = try withJournal { () throws(FileSystemFailure) in
                guard let index = state.withLock({ $0.index }) else { return }
                try rewrite(try scan(index))
            }
        } catch  where error.isForbidden {
            // A read-only folder has no index, and entries are found without it.
        }
    }

    private func verify(_ name: EntryName, into report: inout DiskCacheVerification) throws(FileSystemFailure) {
        let (result, byteCount) = try inspect(name)
        switch result {
        case .absent, .foreign: return
        case .intact(_, let key) where self.name(key) == name: break
        case .otherVersion: report.otherVersions += 1
        case .oversized: report.oversized += 1
        case .intact, .damaged:
            if try reconcile(name) { report.damagedRemoved += 1 }
        }
        report.entriesChecked += 1
        report.bytesChecked += byteCount
    }
}
