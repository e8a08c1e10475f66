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

/// A file system where another cache has not written the end of the next file that is read.
final class FileInProgress: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    private let isInProgress = Atomic(false)

    func begin() { isInProgress.store(true, ordering: .relaxed) }

    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        let count = try unsafe base.read(file, into: buffer, at: offset)
        return isInProgress.exchange(false, ordering: .relaxed) ? count / 2 : count
    }
}
