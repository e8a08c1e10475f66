import ImageCore
import Synchronization

/// A place in a folder that all caches with one limit lock while they are in use. On Linux only.
final class FolderClaim: Sendable {
    private let fileSystem: FileSystem
    private let root: String
    private let place: Int
    private let folder = Mutex<Int32?>(nil)

    init(_ root: String, _ fileSystem: FileSystem, byteLimit: Int) {
        self.root = root
        self.fileSystem = fileSystem
        place = byteLimit
    }

    deinit { end() }

    /// Throws `.conflictingOptions` if a cache in use, of any process, has another limit. Requires the folder's lock.
    func take() throws {
        try folder.withLock { folder in
            if folder == nil { folder = try fileSystem.claim(place, of: root) }
        }
    }

    func end() { if let folder = folder.withLock({ $0.take() }) { fileSystem.endClaim(folder) } }
}
