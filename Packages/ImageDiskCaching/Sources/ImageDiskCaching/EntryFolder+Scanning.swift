package import ImageCore
import Synchronization

/// How far a file's time may lie ahead of the clock before it is taken for wrong: an hour, in nanoseconds.
private let toleratedLead: Int64 = 3_600_000_000_000

extension EntryFolder {
    /// Clears away what dead processes left, and brings the folder within the limit. Makes no folder.
    package func open() throws(FileSystemFailure) {
        _ = try withJournal { () throws(FileSystemFailure) in try reclaim() }
        while try shrinkStep() != nil {}
    }

    /// An index of what the folder holds.
    ///
    /// - Parameter old: what an earlier index told: uses later than the files' own times, and space promised to living writers.
    func scan(_ old: EntryIndex) throws(FileSystemFailure) -> EntryIndex {
        try removeStaleTemporaries()
        let plausible = plausibility()
        var index = EntryIndex()
        for folder in try folders() {
            let files = try filesInFolder(folder)
            try removeParts(among: files, in: folder)
            for (name, file) in entries(among: files, in: folder) {
                try moveHome(name, from: folder)
                let stamp = max(plausible(file.modified), old[name].map { plausible($0.stamp) } ?? .min)
                index.insert(
                    EntryIndex.Record(name: name, byteCount: file.byteCount, stamp: stamp), at: index.slot(for: name))
            }
        }
        for file in try parts(in: temporaryFolder) {
            guard let writer = WriterNumber(file.name.dropLast(5)) else { continue }
            let promised = old.reservations[writer]
            index.reserve(
                max(file.byteCount, promised?.byteCount ?? 0), for: promised?.name ?? .none, writer: writer)
        }
        return index
    }

    /// What makes times plausible. One that lies far ahead was set by a clock that was wrong; kept, it would never be old.
    func plausibility() -> (Int64) -> Int64 {
        let now = Self.nanoseconds(now())
        return { $0 > now + toleratedLead ? now : $0 }
    }

    /// Moves an entry that was stored with another layout to where this one looks for it.
    private func moveHome(_ name: EntryName, from folder: String) throws(FileSystemFailure) {
        let found = name.path(in: folder + "/", isSharded: false)
        if found == path(name) { return }
        try moveIntoPlace(found, name)
        for changed in [folder, home(of: name)] { noteRemoval(from: changed) }
    }

    /// The subfolders that may hold entries.
    package func shards() throws(FileSystemFailure) -> [String] {
        try filesInFolder(root).filter { !$0.isRegular && EntryName.isShard($0.name) }.map(\.name)
    }

    /// The entries' files of one folder, by name. Whatever else lies there is none of ours.
    func entries(in folder: String) throws(FileSystemFailure) -> [(name: EntryName, file: ListedFile)] {
        entries(among: try filesInFolder(folder), in: folder)
    }

    private func entries(among files: [ListedFile], in folder: String) -> [(name: EntryName, file: ListedFile)] {
        let shard = folder == root ? "" : folder.suffix(2)
        return files.compactMap { file in
            guard file.isRegular, file.name.hasPrefix(shard), let name = EntryName(file.name) else { return nil }
            return (name, file)
        }
    }

    private func parts(in folder: String) throws(FileSystemFailure) -> [ListedFile] {
        try filesInFolder(folder).filter(\.isPart)
    }

    // MARK: What dead processes left

    /// Takes back the space that dead writers were promised, with the files they left. Returns how many files.
    @discardableResult
    func reclaim() throws(FileSystemFailure) -> Int {
        var count = try removeStaleTemporaries()
        let alive = Set(try parts(in: temporaryFolder).map(\.name))
        let promises = state.withLock { $0.index?.reservations ?? [:] }
        for (writer, reservation) in promises {
            if alive.contains("\(writer.text).part") { continue }
            if try removePart(path(of: writer, beside: reservation.name)) { count += 1 }
            try record([try event(of: reservation.name), .release(writer: writer)])
        }
        return count
    }

    /// What is to be told of an entry whose writer died: it may have been before its file was whole, or after that had its name.
    private func event(of name: EntryName) throws(FileSystemFailure) -> JournalFormat.Event {
        let (verdict, byteCount) = try inspect(name)
        switch verdict {
        case .whole, .otherVersion, .oversized:
            let stamp = plausibility()(try fileSystem.status(at: path(name)).modified)
            return insertion(EntryIndex.Record(name: name, byteCount: byteCount, stamp: stamp))
        case .damaged:
            try removeFile(name)
            return .remove(name)
        case .absent, .foreign: return .remove(name)
        }
    }

    /// Removes temporary files that nobody writes any more, and returns how many. A living writer holds its file's lock.
    @discardableResult
    func removeStaleTemporaries() throws(FileSystemFailure) -> Int {
        var count = 0
        for file in try parts(in: temporaryFolder) {
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

    /// Removes what dead processes left beside entries: nobody writes there but who has locked the folder.
    private func removeParts(among files: [ListedFile], in folder: String) throws(FileSystemFailure) {
        for file in files where file.isPart && WriterNumber(file.name.dropLast(5)) != nil {
            _ = try removePart("\(folder)/\(file.name)")
        }
    }

    /// False when it is not there, or must stay.
    private func removePart(_ path: String) throws(FileSystemFailure) -> Bool {
        do {
            try fileSystem.remove(path)
            return true
        } catch  where error.isAbsence || error.isForbidden {
            return false
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

extension ListedFile {
    /// Whether it is named like a file that is being written.
    fileprivate var isPart: Bool { isRegular && name.hasSuffix(".part") }
}
