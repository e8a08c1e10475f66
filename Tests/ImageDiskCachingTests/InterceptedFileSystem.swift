import ImageDiskCaching
import Synchronization

/// The operating system with something in between: told each call before it is made, it may let the call fail, look at the
/// folder, or end the process. Writes are made in two halves, each a call, so that something can happen in the middle of one.
final class InterceptedFileSystem: FileSystem {
    /// A call that is about to be made: its number, from 1, and its name.
    typealias Interception = @Sendable (_ number: Int, _ call: String) throws(FileSystemFailure) -> Void

    private let system = POSIXFileSystem()
    private let calls = Mutex<[String]>([])
    private let interception: Interception
    private let refusesAtOnce: Bool

    /// - Parameter refusesAtOnce: as if nothing were in memory: calls that refuse to wait for a device refuse, untold.
    init(
        refusesAtOnce: Bool = false,
        _ interception: @escaping Interception = { _, _ throws(FileSystemFailure) in }
    ) {
        self.refusesAtOnce = refusesAtOnce
        self.interception = interception
    }

    /// The names of all calls so far.
    var log: [String] { calls.withLock { $0 } }

    private func announce(_ call: String) throws(FileSystemFailure) {
        let number = calls.withLock { calls in
            calls.append(call)
            return calls.count
        }
        try interception(number, call)
    }

    func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 {
        try announce("openToRead")
        return try system.openToRead(path)
    }

    func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        try announce("create")
        return try system.create(path)
    }

    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        try announce("status")
        return try system.status(of: file)
    }

    func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 {
        try announce("openToUpdate")
        return try system.openToUpdate(path)
    }

    func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32? {
        if refusesAtOnce { return nil }
        try announce("openToReadAtOnce")
        return try system.openToReadAtOnce(path)
    }

    func status(at path: String) throws(FileSystemFailure) -> FileStatus {
        try announce("status")
        return try system.status(at: path)
    }

    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        try announce("read")
        return try unsafe system.read(file, into: buffer, at: offset)
    }

    func readAtOnce(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int? {
        if refusesAtOnce { return nil }
        try announce("readAtOnce")
        return try unsafe system.readAtOnce(file, into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure) {
        let middle = bytes.count / 2
        try announce("write")
        try unsafe system.write(UnsafeRawBufferPointer(rebasing: bytes[..<middle]), to: file, at: offset)
        try announce("write")
        try unsafe system.write(UnsafeRawBufferPointer(rebasing: bytes[middle...]), to: file, at: offset + middle)
    }

    func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        try announce("truncate")
        try system.truncate(file, to: byteCount)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        let middle = bytes.count / 2
        try announce("write")
        try unsafe system.write(UnsafeRawBufferPointer(rebasing: bytes[..<middle]), to: file)
        try announce("write")
        try unsafe system.write(UnsafeRawBufferPointer(rebasing: bytes[middle...]), to: file)
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure) {
        try unsafe write(bytes, to: file)
        try unsafe write(more, to: file)
    }

    func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        try announce("setModified")
        try system.setModified(nanoseconds, of: file)
    }

    func lock(_ file: Int32) throws(FileSystemFailure) -> Bool {
        try announce("lock")
        return try system.lock(file)
    }

    func waitForLock(_ file: Int32) throws(FileSystemFailure) {
        try announce("waitForLock")
        try system.waitForLock(file)
    }

    func unlock(_ file: Int32) { system.unlock(file) }

    func synchronize(_ file: Int32) throws(FileSystemFailure) {
        try announce("synchronize")
        try system.synchronize(file)
    }

    func synchronizeFolder(_ path: String) throws(FileSystemFailure) {
        try announce("synchronizeFolder")
        try system.synchronizeFolder(path)
    }

    func close(_ file: Int32) { system.close(file) }

    func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try announce("rename")
        try system.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileSystemFailure) {
        try announce("remove")
        try system.remove(path)
    }

    func makeFolder(_ path: String) throws(FileSystemFailure) {
        try announce("makeFolder")
        try system.makeFolder(path)
    }

    func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        try announce("list")
        return try system.list(path)
    }

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int {
        try announce("availableBytes")
        return try system.availableBytes(at: path)
    }

    func bootNumber() -> UInt64 { system.bootNumber() }
}
