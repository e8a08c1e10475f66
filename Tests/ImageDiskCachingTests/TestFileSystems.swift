import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization

/// The file system after a restart of the system.
struct RestartedFileSystem: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()

    func bootNumber() -> UInt64 { base.bootNumber() &+ 1 }
}

/// A file system of `byteCount` bytes that contains only `folder`.
struct SmallDisk: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    let folder: TestFolder
    let byteCount: Int

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int { byteCount - folder.byteCount() }
}

/// A file system where another cache has not written the end of a file when it is read for the first time.
final class FileInProgress: ForwardingFileSystem {
    private struct State {
        var path: String?
        var file: Int32?
    }

    let base: any FileSystem = POSIXFileSystem()
    private let state = Mutex(State())

    /// The first reader of the file at `path` finds half of it.
    func begin(at path: String) { state.withLock { $0.path = path } }

    func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 {
        let file = try base.openToRead(path)
        state.withLock { state in
            if state.path == path { state = State(file: file) }
        }
        return file
    }

    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        let count = try unsafe base.read(file, into: buffer, at: offset)
        let isHalf = state.withLock { $0.file == file && $0.file.take() != nil }
        return isHalf ? count / 2 : count
    }
}
