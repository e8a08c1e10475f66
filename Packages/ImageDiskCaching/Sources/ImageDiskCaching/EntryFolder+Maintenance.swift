import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EntryFolder {
    /// Counts what is in the folder now, and changes nothing.
    package func status() throws(FileSystemFailure) -> DiskCacheStatus {
        try rescan()
        return state.withLock { state in
            DiskCacheStatus(
                entryCount: state.index?.count ?? 0, byteCount: state.index?.byteCount ?? 0, byteLimit: byteLimit,
                oldestUse: (state.index?.oldest?.stamp).map(Self.date),
                newestUse: (state.index?.newest?.stamp).map(Self.date))
        }
    }

    /// Removes the least recently used until `byteCount` bytes at most are left.
    package func trim(to byteCount: Int) throws(FileSystemFailure) -> DiskCacheRemoval {
        try removeStaleTemporaries()
        try rescan()
        return try makeRoom(limit: max(0, byteCount))
    }

    /// Removes what was not used for `age` or longer.
    package func removeAll(olderThan age: Duration) throws(FileSystemFailure) -> DiskCacheRemoval {
        try rescan()
        let deadline = Self.nanoseconds(now().addingTimeInterval(-(age / .seconds(1))))
        return try evict { index in
            guard let oldest = index.oldest, oldest.stamp < deadline else { return nil }
            return oldest
        }
    }

    /// Removes all entries, goes on when one can't be removed, and throws the first such failure in the end.
    package func removeAll() throws(FileSystemFailure) {
        var firstFailure: FileSystemFailure?
        for shard in try shards() {
            for (name, _) in try entries(inShard: shard) {
                do {
                    try removeFile(name)
                } catch {
                    firstFailure = firstFailure ?? error
                }
            }
        }
        try removeStaleTemporaries()
        try rescan()
        if let firstFailure { throw firstFailure }
    }

    /// Clears away what dead processes left, as the first part of a verification.
    package func beginVerification() throws(FileSystemFailure) -> DiskCacheVerification {
        var report = DiskCacheVerification()
        report.temporariesRemoved = try removeStaleTemporaries()
        try rescan()
        return report
    }

    /// Reads every entry of one subfolder and removes the damaged ones.
    package func verify(shard: String) throws(FileSystemFailure) -> DiskCacheVerification {
        var report = DiskCacheVerification()
        for (name, file) in try entries(inShard: shard) {
            do {
                try verify(name, into: &report)
            } catch {
                report.unrepaired.append("\(shard)/\(file.name): \(error.text)")
            }
        }
        return report
    }

    private func verify(_ name: EntryName, into report: inout DiskCacheVerification) throws(FileSystemFailure) {
        let (verdict, byteCount) = try inspect(name)
        switch verdict {
        case .absent, .foreign: return
        case .whole(_, let key) where EntryName(keyBytes: key) == name: break
        case .otherVersion: report.otherVersions += 1
        case .oversized: report.oversized += 1
        case .whole, .damaged:
            try removeFile(name)
            report.damagedRemoved += 1
        }
        report.entriesChecked += 1
        report.bytesChecked += byteCount
    }
}
