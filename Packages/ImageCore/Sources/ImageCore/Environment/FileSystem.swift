/// The file system calls of a disk cache. A protocol, so that tests can make each call fail.
///
/// `POSIXFileSystem` of ImageDiskCaching is the operating system. ImageTesting has a simulated disk, fault injection,
/// and `ForwardingFileSystem`, whose methods a test double overrides.
///
/// Promises:
/// - Each method can be called from any thread, and blocks until it has finished.
/// - Failures have the error codes of the operating system: `ENOENT` for a missing file, `EEXIST` for an existing one.
/// - File descriptors belong to the file system. The caller that opens a file closes it.
public protocol FileSystem: Sendable {
    /// Opens a regular file for reading. Does not follow symbolic links and never waits for another process.
    func openToRead(_ path: String) throws(FileSystemFailure) -> Int32
    /// Creates a file, which must not exist, and opens it for writing.
    func create(_ path: String) throws(FileSystemFailure) -> Int32
    /// Opens a file for reading and writing, and creates it if needed. Does not follow symbolic links.
    func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32
    /// Like `openToRead`, without waiting for a device. Returns nil if that is not possible.
    func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32?
    /// Returns the status of an open file.
    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus
    /// Returns the status of the file at a path. Does not follow symbolic links.
    func status(at path: String) throws(FileSystemFailure) -> FileStatus
    /// Reads bytes from an offset and returns their number.
    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int
    /// Reads bytes from the beginning of the file without waiting for a device, and returns their number. Returns nil
    /// if none can be read this way.
    func readNonblocking(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int?
    /// Appends all of `bytes` to what was written before.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure)
    /// Appends all of `bytes`, then all of `more`.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure)
    /// Writes all of `bytes` at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure)
    /// Truncates a file, or extends it with zeros.
    func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure)
    /// Sets the time of the last modification, in nanoseconds since 1970.
    func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure)
    /// Locks an open file without waiting. Returns false if another process or descriptor holds the lock.
    func lock(_ file: Int32) throws(FileSystemFailure) -> Bool
    /// Locks an open file, and waits until the lock is free. A lock ends with its process.
    func waitForLock(_ file: Int32) throws(FileSystemFailure)
    /// Unlocks an open file.
    func unlock(_ file: Int32)
    /// Returns when all writes are on the device.
    func synchronize(_ file: Int32) throws(FileSystemFailure)
    /// Returns when the names in a directory are on the device.
    func synchronizeFolder(_ path: String) throws(FileSystemFailure)
    /// Closes a file and unlocks it.
    func close(_ file: Int32)
    /// Renames a file, and atomically replaces the file with that name.
    func rename(_ path: String, to newPath: String) throws(FileSystemFailure)
    /// Removes a file.
    func remove(_ path: String) throws(FileSystemFailure)
    /// Creates a directory and its parents, unless it exists.
    func makeFolder(_ path: String) throws(FileSystemFailure)
    /// Requests that the subdirectories of a directory are placed apart on the device, if the file system supports it.
    func scatterFolders(in path: String)
    /// Returns the files in a directory, in no order. Files that are removed during the call may be missing.
    func list(_ path: String) throws(FileSystemFailure) -> [ListedFile]
    /// Returns the free space, in bytes, on the device of a directory.
    func availableBytes(at path: String) throws(FileSystemFailure) -> Int
    /// Returns a number that changes with each start of the machine; 0 if there is none.
    func bootNumber() -> UInt64
}

extension FileSystem {
    // The defaults are for systems without such calls.

    public func scatterFolders(in path: String) {}
    public func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32? { nil }
    public func readNonblocking(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemFailure) -> Int? { nil }
}
