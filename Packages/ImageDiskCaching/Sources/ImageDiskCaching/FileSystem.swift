/// The calls of the operating system that the cache makes: few, so that tests can fail each in turn.
///
/// Each may be called from any thread. Paths are absolute or relative to the working folder, as the caller gave the root.
package protocol FileSystem: Sendable {
    /// Opens a regular file to read, never following a symbolic link. Does not wait, whatever the file is.
    func openToRead(_ path: String) throws(FileSystemFailure) -> Int32
    /// Makes a file that must not be there yet and opens it to write.
    func create(_ path: String) throws(FileSystemFailure) -> Int32
    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus
    /// Fills `buffer` from the beginning of the file, and returns how many bytes there were.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int
    /// Writes all of `bytes` after what was written before.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure)
    /// Sets the time of the last modification, in nanoseconds since 1970.
    func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure)
    /// Takes the lock of an open file, without waiting; false when another process or descriptor holds it.
    func lock(_ file: Int32) throws(FileSystemFailure) -> Bool
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
    /// What a folder holds, in no order. What vanishes meanwhile may be missing.
    func list(_ path: String) throws(FileSystemFailure) -> [ListedFile]
}

/// What the cache asks about an open file.
package struct FileStatus: Sendable {
    package var isRegular: Bool
    package var byteCount: Int
}

/// One name in a folder.
package struct ListedFile: Sendable {
    package var name: String
    package var isRegular: Bool
    package var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modified: Int64
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
