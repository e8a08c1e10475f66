package import ImageCore
import Synchronization

extension EntryFolder {
    /// Removes the leftovers of ended processes and evicts entries to meet the limit. Doesn't create the folder.
    package func open() throws(FileSystemFailure) {
        _ = try withJournal { () throws(FileSystemFailure) in try reclaim() }
        while try shrinkStep() != nil {}
    }

    /// Returns an index of the files in the folder.
    ///
    /// - Parameter old: An earlier index. It provides the reservations, and times of use that are later than those of
    ///   the files.
    func scan(_ old: EntryIndex) throws(FileSystemFailure) -> EntryIndex {
        try removeStaleTemporaries()
        let correctedTime = timeCorrection()
        var index = EntryIndex()
        for folder in try folders() {
            let files = try filesInFolder(folder)
            try removeParts(among: files, in: folder)
            for (name, file) in entries(among: files, in: folder) {
                try moveToLayout(name, from: folder)
                let stamp = max(correctedTime(file.modified), old[name].map { correctedTime($0.stamp) } ?? .min)
                index.insert(
                    EntryIndex.Record(name: name, byteCount: file.byteCount, stamp: stamp), at: index.slot(for: name))
            }
        }
        for file in try parts(in: temporaryFolder) {
            guard let writer = WriterNumber(file.name.dropLast(5)) else { continue }
            let reserved = old.reservations[writer]
            index.reserve(
                max(file.byteCount, reserved?.byteCount ?? 0), for: reserved?.name ?? .none, writer: writer)
        }
        return index
    }

    /// Returns a function that replaces times far in the future by the current time. Otherwise such entries would never
    /// expire.
    func timeCorrection() -> (Int64) -> Int64 {
        let now = Self.nanoseconds(now())
        return { $0 > now + Self.maxClockSkew ? now : $0 }
    }

    /// Moves an entry that was stored with another layout to its path in this layout.
    private func moveToLayout(_ name: EntryName, from folder: String) throws(FileSystemFailure) {
        let found = name.path(in: folder + "/", isSharded: false)
        if found == path(name) { return }
        try moveIntoPlace(found, name)
        for changed in [folder, parentFolder(of: name)] { noteRemoval(from: changed) }
    }

    /// The subfolders that can contain entries.
    package func shards() throws(FileSystemFailure) -> [String] {
        try filesInFolder(root).filter { !$0.isRegular && EntryName.isShard($0.name) }.map(\.name)
    }

    /// Returns the files of the entries in one folder. Ignores all other files.
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

    // MARK: Leftovers of ended processes

    /// Releases the reservations of ended writers and removes their files. Returns the number of files.
    @discardableResult
    func reclaim() throws(FileSystemFailure) -> Int {
        var count = try removeStaleTemporaries()
        let living = Set(try parts(in: temporaryFolder).map(\.name))
        let reservations = state.withLock { $0.index?.reservations ?? [:] }
        for (writer, reservation) in reservations {
            if living.contains("\(writer.text).part") { continue }
            if try removePart(path(of: writer, beside: reservation.name)) { count += 1 }
            try record([try event(of: reservation.name), .release(writer: writer)])
        }
        return count
    }

    /// Returns the event for an entry whose writer ended, either before the file was complete or after it was renamed.
    private func event(of name: EntryName) throws(FileSystemFailure) -> JournalFormat.Event {
        let (result, byteCount) = try inspect(name)
        switch result {
        case .intact, .otherVersion, .oversized:
            let stamp = timeCorrection()(try fileSystem.status(at: path(name)).modified)
            return insertion(EntryIndex.Record(name: name, byteCount: byteCount, stamp: stamp))
        case .damaged:
            try removeFile(name)
            return .remove(name)
        case .absent, .foreign: return .remove(name)
        }
    }

    /// Removes temporary files without a writer, and returns their number. A writer locks its file.
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
        } catch  where error.isNotFound || error.isForbidden {
            return false
        }
    }

    /// Removes incomplete files beside entries. Only the process that has locked the folder writes there.
    private func removeParts(among files: [ListedFile], in folder: String) throws(FileSystemFailure) {
        for file in files where file.isPart && WriterNumber(file.name.dropLast(5)) != nil {
            _ = try removePart("\(folder)/\(file.name)")
        }
    }

    /// Returns false if the file is missing or can't be removed.
    private func removePart(_ path: String) throws(FileSystemFailure) -> Bool {
        do {
            try fileSystem.remove(path)
            return true
        } catch  where error.isNotFound || error.isForbidden {
            return false
        }
    }

    private func filesInFolder(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        do {
            return try fileSystem.list(path)
        } catch  where error.isNotFound {
            return []
        }
    }
}

extension ListedFile {
    /// Whether the name is that of an incomplete file.
    fileprivate var isPart: Bool { isRegular && name.hasSuffix(".part") }
}
