/// The file system calls of a disk cache. A protocol, so that tests can make each call fail.
///
/// More methods than another port has, one for each call; `POSIXFileSystem` of ImageDiskCaching is the operating system, and ImageTesting
/// has a disk in memory, one that injects faults, and `ForwardingFileSystem`, of which a double overrides what it needs. Promises, for which
/// `FileSystemContract` has rules:
/// - Each may be called from any thread, and blocks until it is done. Paths are as the caller gave them.
/// - What fails throws the code that the operating system has for it: `ENOENT` for what is not there, `EEXIST` for what is.
/// - Numbers of open files are the file system's own; who opened one closes it.
public protocol FileSystem: Sendable {
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
    public func scatterFolders(in path: String) {}

    // A system without calls that refuse to wait.
    public func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32? { nil }
    public func readAtOnce(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemFailure) -> Int? { nil }
}
