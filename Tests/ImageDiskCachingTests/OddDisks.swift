import ImageCore
import ImageDiskCaching
import ImageTesting

/// The file system after another start of the system.
struct RestartedFileSystem: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()

    func bootNumber() -> UInt64 { base.bootNumber() &+ 1 }
}

/// A file system with limited free space, of which `folder` takes a part.
struct SmallDisk: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    let folder: TestFolder
    let byteCount: Int

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int { byteCount - folder.byteCount() }
}
