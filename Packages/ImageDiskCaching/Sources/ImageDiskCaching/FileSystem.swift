/// The calls of the operating system that the cache makes: few, so that tests can fail each in turn.
///
/// Each may be called from any thread. Paths are absolute or relative to the working folder, as the caller gave the root.
package protocol FileSystem: Sendable {
    /// Opens a regular file to read, never following a symbolic link. Does not wait, whatever the file is.
    func openToRead(_ path: String) throws(FileSystemFailure) -> Int32
    /// Makes a file that must not be there yet and opens it to write.
    func create(_ path: String) throws(FileSystemFailure) -> Int32
    /// Opens a file to read and to write anywhere, and makes it if need be. Never follows a symbolic link.
    func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32
    /// As `openToRead`, without waiting for a device; nil when that is not possible.
    func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32?
    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus
    /// The status of what has a name now. A symbolic link is not followed.
    func status(at path: String) throws(FileSystemFailure) -> FileStatus
    /// Fills `buffer` from `offset` on, and returns how many bytes there were.
    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int
    /// Fills `buffer` from the beginning of the file, as far as that needs no waiting for a device, and returns how far; nil when
    /// nothing can be had so.
    func readAtOnce(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int?
    /// Writes all of `bytes` after what was written before.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure)
    /// Writes all of `bytes`, then all of `more`, after what was written before.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure)
    /// Writes all of `bytes` from `offset` on.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure)
    /// Cuts a file off, or fills it up with zeros.
    func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure)
    /// Sets the time of the last modification, in nanoseconds since 1970.
    func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure)
    /// Takes the lock of an open file, without waiting; false when another process or descriptor holds it.
    func lock(_ file: Int32) throws(FileSystemFailure) -> Bool
    /// Takes the lock of an open file as soon as nobody else holds it. A lock dies with the process that holds it.
    func waitForLock(_ file: Int32) throws(FileSystemFailure)
    /// Gives the lock of an open file up.
    func unlock(_ file: Int32)
    /// Returns when what was written is on the device.
    func synchronize(_ file: Int32) throws(FileSystemFailure)
    /// Returns when the names in a folder are on the device.
    func synchronizeFolder(_ path: String) throws(FileSystemFailure)
    /// Closes a file, which also gives its lock up.
    func close(_ file: Int32)
    /// Gives a file another name; replaces what had that name, in one step.
    func rename(_ path: String, to newPath: String) throws(FileSystemFailure)
    func remove(_ path: String) throws(FileSystemFailure)
    /// Makes a folder and those above it; nothing happens when it is there.
    func makeFolder(_ path: String) throws(FileSystemFailure)
    /// Asks for folders that are made in this one to be laid apart on the device, for as much as the system cares.
    func scatterFolders(in path: String)
    /// What a folder holds, in no order. What vanishes meanwhile may be missing.
    func list(_ path: String) throws(FileSystemFailure) -> [ListedFile]
    /// How many bytes may still be written to the file system that a folder lies on.
    func availableBytes(at path: String) throws(FileSystemFailure) -> Int
    /// A number that is another one after each start of the machine. 0 where none can be had.
    func bootNumber() -> UInt64
}

extension FileSystem {
    // A system that doesn't.
    package func scatterFolders(in path: String) {}

    // A system without calls that refuse to wait.
    package func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32? { nil }
    package func readAtOnce(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemFailure) -> Int? { nil }
}

/// What the cache asks about a file.
package struct FileStatus: Sendable {
    package var isRegular: Bool
    package var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// Which file it is, whatever its name.
    package var identity: FileIdentity
    /// False when it was removed and is only open still.
    package var hasName: Bool

    package init(isRegular: Bool, byteCount: Int, modified: Int64, identity: FileIdentity, hasName: Bool) {
        self.isRegular = isRegular
        self.byteCount = byteCount
        self.modified = modified
        self.identity = identity
        self.hasName = hasName
    }
}

/// The numbers of a device and of a file on it: two open files with the same ones are the same.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var file: UInt64

    package init(device: UInt64, file: UInt64) {
        self.device = device
        self.file = file
    }
}

/// One name in a folder.
package struct ListedFile: Sendable {
    package var name: String
    package var isRegular: Bool
    package var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modified: Int64

    package init(name: String, isRegular: Bool, byteCount: Int, modified: Int64) {
        self.name = name
        self.isRegular = isRegular
        self.byteCount = byteCount
        self.modified = modified
    }
}

/// A call that the operating system refused.
package struct FileSystemFailure: Error, Hashable, Sendable {
    /// The call's name, as in its manual page.
    package var call: String
    /// The value of errno.
    package var code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }
}
