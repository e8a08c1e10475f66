#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The calls of the operating system that the cache makes. A protocol, so that tests can make each call fail.
///
/// Each method blocks its thread until it has finished, except `openCached` and `readCached`. Methods throw
/// `FileSystemFailure`. The caller that opens a file closes it.
package protocol FileSystem: Sendable {
    /// Opens a file for reading. Does not follow symbolic links.
    func openToRead(_ path: String) throws -> Int32
    /// Like `openToRead`, without waiting for a device. Returns nil if that is not possible.
    func openCached(_ path: String) throws -> Int32?
    /// Opens a file for reading and writing, and creates it if needed.
    func openToUpdate(_ path: String) throws -> Int32
    /// Creates a file, which must not exist, and opens it for writing.
    func create(_ path: String) throws -> Int32
    /// Closes a file, which also unlocks it.
    func close(_ file: Int32)

    /// Reads up to `count` bytes. Returns fewer at the end of the file.
    func read(_ file: Int32, _ count: Int, at offset: Int) throws -> Data
    /// Like `read` from the start of the file, without waiting for a device. Returns nil if that is not possible.
    func readCached(_ file: Int32, _ count: Int) throws -> Data?
    /// Writes all bytes at an offset.
    func write(_ bytes: Data, to file: Int32, at offset: Int) throws
    /// Shortens a file, or extends it with zeros that take no space.
    func truncate(_ file: Int32, to byteCount: Int) throws

    /// Locks a file until it is unlocked or closed, or the process ends. Returns false if another descriptor has locked
    /// it and `waits` is false.
    func lock(_ file: Int32, waits: Bool) throws -> Bool
    /// Unlocks a file.
    func unlock(_ file: Int32)

    /// Returns the status of an open file.
    func status(of file: Int32) throws -> FileStatus
    /// Returns the status of the file at a path. Does not follow symbolic links.
    func status(at path: String) throws -> FileStatus
    /// Sets the modification time of the file at a path, in nanoseconds since 1970.
    func setModified(_ nanoseconds: Int64, at path: String) throws
    /// Renames a file, and atomically replaces the file with that name.
    func rename(_ path: String, to newPath: String) throws
    /// Removes a file. Open descriptors can still read it.
    func remove(_ path: String) throws
    /// Creates a folder and its parents, unless it exists.
    func makeFolder(_ path: String) throws
    /// Returns the names of the files in a folder.
    func list(_ path: String) throws -> [String]
    /// Returns the free space, in bytes, on the device of a folder.
    func availableBytes(at path: String) throws -> Int
}

/// The status of a file.
package struct FileStatus: Sendable {
    /// Equal for two open files only if they are the same file.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    var isRegular: Bool
    var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    var modified: Int64
    var identity: Identity
}
