public import ImageCore

/// A file system that forwards its calls to another one. Conform to it to override single calls in a test double.
///
/// ```swift
/// /// A disk with no space left.
/// struct FullDisk: ForwardingFileSystem {
///     let base: any FileSystem
///     func availableBytes(at path: String) throws(FileSystemFailure) -> Int { 0 }
/// }
/// ```
public protocol ForwardingFileSystem: FileSystem {
    /// The file system that performs the calls.
    var base: any FileSystem { get }
}

extension ForwardingFileSystem {
    public func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 { try base.openToRead(path) }
    public func create(_ path: String) throws(FileSystemFailure) -> Int32 { try base.create(path) }
    public func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 { try base.openToUpdate(path) }
    public func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32? {
        try base.openToReadNonblocking(path)
    }
    public func status(of file: Int32) throws(FileSystemFailure) -> FileStatus { try base.status(of: file) }
    public func status(at path: String) throws(FileSystemFailure) -> FileStatus { try base.status(at: path) }
    public func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int { try unsafe base.read(file, into: buffer, at: offset) }
    public func readNonblocking(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemFailure) -> Int? { try unsafe base.readNonblocking(file, into: buffer) }
    public func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        try unsafe base.write(bytes, to: file)
    }
    public func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure) { try unsafe base.write(bytes, more, to: file) }
    public func write(
        _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
    ) throws(FileSystemFailure) { try unsafe base.write(bytes, to: file, at: offset) }
    public func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        try base.truncate(file, to: byteCount)
    }
    public func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        try base.setModified(nanoseconds, of: file)
    }
    public func lock(_ file: Int32) throws(FileSystemFailure) -> Bool { try base.lock(file) }
    public func waitForLock(_ file: Int32) throws(FileSystemFailure) { try base.waitForLock(file) }
    public func unlock(_ file: Int32) { base.unlock(file) }
    public func synchronize(_ file: Int32) throws(FileSystemFailure) { try base.synchronize(file) }
    public func synchronizeFolder(_ path: String) throws(FileSystemFailure) { try base.synchronizeFolder(path) }
    public func close(_ file: Int32) { base.close(file) }
    public func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try base.rename(path, to: newPath)
    }
    public func remove(_ path: String) throws(FileSystemFailure) { try base.remove(path) }
    public func makeFolder(_ path: String) throws(FileSystemFailure) { try base.makeFolder(path) }
    public func scatterFolders(in path: String) { base.scatterFolders(in: path) }
    public func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] { try base.list(path) }
    public func availableBytes(at path: String) throws(FileSystemFailure) -> Int {
        try base.availableBytes(at: path)
    }
    public func bootNumber() -> UInt64 { base.bootNumber() }
}
