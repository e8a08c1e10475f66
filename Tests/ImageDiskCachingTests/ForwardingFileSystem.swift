import ImageDiskCaching

/// A file system that passes everything on to the operating system; a test's own overrides what it wants to be otherwise.
protocol ForwardingFileSystem: FileSystem {}

private let system = POSIXFileSystem()

extension ForwardingFileSystem {
    func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 { try system.openToRead(path) }
    func create(_ path: String) throws(FileSystemFailure) -> Int32 { try system.create(path) }
    func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 { try system.openToUpdate(path) }
    func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32? { try system.openToReadAtOnce(path) }
    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus { try system.status(of: file) }
    func status(at path: String) throws(FileSystemFailure) -> FileStatus { try system.status(at: path) }
    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int { try unsafe system.read(file, into: buffer, at: offset) }
    func readAtOnce(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int? {
        try unsafe system.readAtOnce(file, into: buffer)
    }
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        try unsafe system.write(bytes, to: file)
    }
    func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure) {
        try unsafe system.write(bytes, more, to: file)
    }
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure) {
        try unsafe system.write(bytes, to: file, at: offset)
    }
    func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        try system.truncate(file, to: byteCount)
    }
    func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        try system.setModified(nanoseconds, of: file)
    }
    func lock(_ file: Int32) throws(FileSystemFailure) -> Bool { try system.lock(file) }
    func waitForLock(_ file: Int32) throws(FileSystemFailure) { try system.waitForLock(file) }
    func unlock(_ file: Int32) { system.unlock(file) }
    func synchronize(_ file: Int32) throws(FileSystemFailure) { try system.synchronize(file) }
    func synchronizeFolder(_ path: String) throws(FileSystemFailure) { try system.synchronizeFolder(path) }
    func close(_ file: Int32) { system.close(file) }
    func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try system.rename(path, to: newPath)
    }
    func remove(_ path: String) throws(FileSystemFailure) { try system.remove(path) }
    func makeFolder(_ path: String) throws(FileSystemFailure) { try system.makeFolder(path) }
    func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] { try system.list(path) }
    func availableBytes(at path: String) throws(FileSystemFailure) -> Int { try system.availableBytes(at: path) }
    func bootNumber() -> UInt64 { system.bootNumber() }
}

/// The machine after another start.
struct RestartedFileSystem: ForwardingFileSystem {
    func bootNumber() -> UInt64 { system.bootNumber() &+ 1 }
}

/// A disk with so much space left, less what `folder` holds.
struct SmallDisk: ForwardingFileSystem {
    let folder: TestFolder
    let byteCount: Int

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int { byteCount - folder.byteCount() }
}
