package import ImageCore
import Synchronization

// Synchronization with the device, so that changes survive a power cut. It is done only for `DiskDurability.powerLoss`.
extension EntryFolder {
    /// Synchronizes the names in a folder and all earlier removals. The first call also synchronizes the name of the
    /// folder.
    ///
    /// Otherwise an evicted entry could reappear after a power cut, and the folder would exceed the limit.
    func synchronizeNames(in folder: String) throws(FileSystemFailure) {
        guard options.durability == .powerLoss else { return }
        try fileSystem.synchronizeFolder(folder)
        state.withLock { _ = $0.unsynchronizedFolders.remove(folder) }
        if folder != root, !state.withLock({ $0.synchronizedFolders.contains(folder) }) {
            try fileSystem.synchronizeFolder(root)
            state.withLock { state in
                state.synchronizedFolders.insert(folder)
                state.unsynchronizedFolders.remove(root)
            }
        }
        try synchronizeRemovals()
    }

    /// Synchronizes all folders from which entries were removed.
    package func synchronizeRemovals() throws(FileSystemFailure) {
        for folder in state.withLock({ $0.unsynchronizedFolders.sorted() }) {
            do {
                try fileSystem.synchronizeFolder(folder)
            } catch  where error.isNotFound {
                // The folder was removed with its entries.
            }
            state.withLock { _ = $0.unsynchronizedFolders.remove(folder) }
        }
    }

    /// Records that a name was removed from a folder.
    func noteRemoval(from folder: @autoclosure () -> String) {
        guard options.durability == .powerLoss else { return }
        let folder = folder()
        state.withLock { _ = $0.unsynchronizedFolders.insert(folder) }
    }

    /// Creates the cache's folder and its parents, and synchronizes their names if the durability requires it.
    func makeRoot() throws(FileSystemFailure) {
        try fileSystem.makeFolder(root)
        guard options.durability == .powerLoss else { return }
        var path = root
        while let slash = path.lastIndex(of: "/"), path != "/" {
            path = slash == path.startIndex ? "/" : String(path[..<slash])
            do {
                try fileSystem.synchronizeFolder(path)
            } catch  where error.isForbidden {
                // A folder that can't be read was not created here.
            }
        }
    }
}
