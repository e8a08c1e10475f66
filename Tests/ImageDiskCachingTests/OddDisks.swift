import ImageCore
import ImageDiskCaching
import ImageTesting

/// The machine after another start.
struct RestartedFileSystem: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()

    func bootNumber() -> UInt64 { base.bootNumber() &+ 1 }
}

/// A disk with so much space left, less what `folder` holds.
struct SmallDisk: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    let folder: TestFolder
    let byteCount: Int

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int { byteCount - folder.byteCount() }
}
