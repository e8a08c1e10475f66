import Synchronization

/// How far a file's time may lie ahead of the clock before it is taken for wrong: an hour, in nanoseconds.
private let toleratedLead: Int64 = 3_600_000_000_000

extension EntryFolder {
    /// Scans the folder unless that is done, clears away what dead processes left, and brings the folder within the limit.
    package func openIfNeeded() throws(FileSystemFailure) {
        if state.withLock({ $0.index != nil }) { return }
        try removeStaleTemporaries()
        try rescan()
        try makeRoom(limit: byteLimit)
    }

    /// Learns anew what is in the folder, other processes' entries included.
    func rescan() throws(FileSystemFailure) {
        state.withLock { $0.isScanning = true }
        defer { state.withLock { $0.isScanning = false } }
        var records: [RecencyIndex.Record] = []
        for shard in try shards() { try scan(shard, into: &records) }
        try adopt(RecencyIndex(records))
    }

    /// Takes what a scan found for the index, and the uses that the scan may not have seen.
    private func adopt(_ index: RecencyIndex) throws(FileSystemFailure) {
        let newest = index.newest?.stamp ?? .min
        let (outdated, late) = state.withLock { state in
            let outdated = state.index
            let touches = state.touches.sorted { $0.value < $1.value }
            let isBehind = newest > state.lastStamp
            state.index = index
            state.touches = [:]
            state.isScanning = false
            state.lastStamp = max(state.lastStamp, newest)
            state.scannedNewest = newest
            for (name, stamp) in touches { state.index?.touch(name, stamp: stamp) }
            return (outdated, isBehind ? touches.map(\.key) : [])
        }
        _ = consume outdated
        // The clock stands behind what earlier launches left on the files: uses before the scan were stamped too low.
        for name in late { try renewStamp(of: name) }
    }

    /// Makes an entry the most recently used, on its file too.
    func renewStamp(of name: EntryName) throws(FileSystemFailure) {
        let stamp = nextStamp()
        try restamp(name, stamp)
        _ = state.withLock { $0.index?.touch(name, stamp: stamp) }
    }

    /// The subfolders that may hold entries.
    package func shards() throws(FileSystemFailure) -> [String] {
        try filesInFolder(root).filter { !$0.isRegular && EntryName.isShard($0.name) }.map(\.name)
    }

    /// The entries' files of one subfolder, by name. Whatever else lies there is none of ours.
    func entries(inShard shard: String) throws(FileSystemFailure) -> [(name: EntryName, file: ListedFile)] {
        try filesInFolder(folder(ofShard: shard)).compactMap { file in
            guard file.isRegular, file.name.hasPrefix(shard), let name = EntryName(file.name) else { return nil }
            return (name, file)
        }
    }

    /// Removes temporary files that nobody writes any more, and returns how many. A living writer holds its file's lock.
    @discardableResult
    func removeStaleTemporaries() throws(FileSystemFailure) -> Int {
        var count = 0
        for file in try filesInFolder(temporaryFolder) where file.isRegular && file.name.hasSuffix(".part") {
            if try removeIfStale("\(temporaryFolder)/\(file.name)") { count += 1 }
        }
        return count
    }

    private func removeIfStale(_ path: String) throws(FileSystemFailure) -> Bool {
        do {
            let file = try fileSystem.openToRead(path)
            defer { fileSystem.close(file) }
            guard try fileSystem.lock(file) else { return false }
            try fileSystem.remove(path)
            return true
        } catch  where error.isAbsence || error.isForbidden {
            return false
        }
    }

    private func scan(_ shard: String, into records: inout [RecencyIndex.Record]) throws(FileSystemFailure) {
        let now = Self.nanoseconds(now())
        for (name, file) in try entries(inShard: shard) {
            var stamp = file.modified
            if stamp > now + toleratedLead {
                // The clock was wrong once. Left alone, this and all later uses would be stamped with times to come, and never be old.
                stamp = now
                try restamp(name, stamp)
            }
            records.append(RecencyIndex.Record(name: name, byteCount: file.byteCount, stamp: stamp))
        }
    }

    private func restamp(_ name: EntryName, _ stamp: Int64) throws(FileSystemFailure) {
        do {
            let file = try fileSystem.openToRead(path(name))
            defer { fileSystem.close(file) }
            try fileSystem.setModified(stamp, of: file)
        } catch  where error.isAbsence || error.isForbidden {
            // Gone, or not ours to change: the index has the better time.
        }
    }

    private func filesInFolder(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        do {
            return try fileSystem.list(path)
        } catch  where error.isAbsence {
            return []
        }
    }
}
