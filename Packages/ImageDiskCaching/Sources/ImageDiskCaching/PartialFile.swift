import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry that is being written to a file in `tmp`.
///
/// While the folder is not locked, the length of the file is the space that is reserved for it, and the writer locks the
/// file. So a file that isn't locked is the leftover of a process that has ended.
struct PartialFile {
    let file: Int32
    let path: String
    /// The space that is counted as in use.
    private(set) var reserved: Int
    /// Nil until the file is shared. The folder has been locked since it was created.
    private var identity: FileStatus.Identity?
    /// The number of payload bytes so far.
    private(set) var payloadLength = 0
    /// The last payload bytes, which are written with the next ones, because the checksum has words of 8 bytes.
    private var rest = Data()
    private var checksum = EntryChecksum()
    private let fileSystem: FileSystem

    /// Creates a file. Requires the lock of the folder, and `reserved` bytes that are counted already.
    init(in paths: FolderPaths, reserved: Int, _ fileSystem: FileSystem) throws {
        self.fileSystem = fileSystem
        self.reserved = reserved
        (path, file) = try Self.create(in: paths, fileSystem)
    }

    /// Whether the file still has its name, which it hasn't if the folder was removed. Requires the lock of the folder.
    var exists: Bool {
        get throws {
            guard let identity else { return true }
            return try ifExists { try fileSystem.status(at: path) }?.identity == identity
        }
    }

    /// Locks the file and gives it its length, before the folder is unlocked.
    mutating func share() throws {
        _ = try fileSystem.lock(file, waits: false)
        identity = try fileSystem.status(of: file).identity
        try fileSystem.truncate(file, to: reserved)
    }

    /// Changes the length. Requires the lock of the folder.
    mutating func reserve(_ byteCount: Int) throws {
        try fileSystem.truncate(file, to: byteCount)
        reserved = byteCount
    }

    mutating func append(_ bytes: Data) throws {
        let all = rest.isEmpty ? bytes : rest + bytes
        let whole = all.prefix(all.count & ~7)
        try fileSystem.write(whole, to: file, at: payloadLength - rest.count)
        checksum.add(whole)
        rest = Data(all.dropFirst(whole.count))
        payloadLength += bytes.count
    }

    /// Returns the length of the complete file.
    func byteCount(key: DataCacheKey, metadata: Data) -> Int {
        payloadLength + key.source.utf8.count + metadata.count + EntryFile.trailerSize
    }

    /// Writes everything after the payload.
    func complete(key: DataCacheKey, metadata: Data, createdAt: Date) throws {
        let tail = try EntryFile.tail(
            after: rest, payloadLength: payloadLength, checksum: checksum, key: key, metadata: metadata,
            createdAt: createdAt)
        try fileSystem.write(tail, to: file, at: payloadLength - rest.count)
    }

    func close() { fileSystem.close(file) }

    /// Creates the file with the lowest free number.
    private static func create(in paths: FolderPaths, _ fileSystem: FileSystem) throws -> (String, Int32) {
        var number = 0
        while true {
            let path = paths.part(number)
            do {
                if let file = try ifExists({ try fileSystem.create(path) }) { return (path, file) }
                try fileSystem.makeFolder(paths.temporary)
                return (path, try fileSystem.create(path))
            } catch let failure as FileSystemFailure where failure.alreadyExists {
                number += 1
            }
        }
    }
}
