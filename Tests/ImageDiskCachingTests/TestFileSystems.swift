import ImageCore
import ImageDiskCaching
import ImageTesting

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
