package import ImageCore
import Synchronization

/// What a power cut must not undo.
extension EntryFolder {
    /// Returns when the names in a folder are on the device, if that is asked for; the first time with the folder's own. So are
    /// then all removals so far: what was evicted for an entry does not come back after a power cut, to be too much beside it.
    func settleNames(in folder: String) throws(FileSystemFailure) {
        guard options.durability == .powerLoss else { return }
        try fileSystem.synchronizeFolder(folder)
        state.withLock { _ = $0.unsettledFolders.remove(folder) }
        if folder != root, !state.withLock({ $0.settledFolders.contains(folder) }) {
            try fileSystem.synchronizeFolder(root)
            state.withLock { state in
                state.settledFolders.insert(folder)
                state.unsettledFolders.remove(root)
            }
        }
        try settleRemovals()
    }

    /// Returns when all removals so far are on the device, if that is asked for: one synchronisation for each folder.
    package func settleRemovals() throws(FileSystemFailure) {
        for folder in state.withLock({ $0.unsettledFolders.sorted() }) {
            do {
                try fileSystem.synchronizeFolder(folder)
            } catch  where error.isAbsence {
                // With its folder it has gone for good.
            }
            state.withLock { _ = $0.unsettledFolders.remove(folder) }
        }
    }

    /// Notes that a name has gone from a folder.
    func noteRemoval(from folder: @autoclosure () -> String) {
        guard options.durability == .powerLoss else { return }
        let folder = folder()
        state.withLock { _ = $0.unsettledFolders.insert(folder) }
    }

    /// Makes the cache's folder and those above it. If that is asked for, returns when their names are on the device.
    func makeRoot() throws(FileSystemFailure) {
        try fileSystem.makeFolder(root)
        guard options.durability == .powerLoss else { return }
        var path = root
        while let slash = path.lastIndex(of: "/"), path != "/" {
            path = slash == path.startIndex ? "/" : String(path[..<slash])
            do {
                try fileSystem.synchronizeFolder(path)
            } catch  where error.isForbidden {
                // What may not be read was not made here.
            }
        }
    }
}
