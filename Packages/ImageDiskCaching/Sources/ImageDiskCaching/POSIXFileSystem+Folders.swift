import CImageDiskCaching
public import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension POSIXFileSystem {
    public func makeFolder(_ path: String) throws(FileSystemFailure) {
        do {
            try retrying("mkdir") { unsafe mkdir(path, 0o700) }
        } catch  where error.code == ENOENT {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw error }
            try makeFolder(String(path[..<slash]))
            try makeFolder(path)
        } catch  where error.code == EEXIST {
            return
        }
    }

    public func scatterFolders(in path: String) {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // The placement of folders is only an optimization.
        guard folder >= 0 else { return }
        _ = disk_scatter_folders(folder)
        close(folder)
    }

    public func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        guard let folder = unsafe opendir(path) else { throw FileSystemFailure(call: "opendir", code: errno) }
        defer { unsafe closedir(folder) }
        let descriptor = unsafe dirfd(folder)
        var files: [ListedFile] = []
        errno = 0
        while let entry = unsafe readdir(folder) {
            // The name ends with a zero byte and is valid until the next readdir.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", let file = Self.listed(name, in: descriptor) { files.append(file) }
            errno = 0
        }
        if errno != 0 { throw FileSystemFailure(call: "readdir", code: errno) }
        return files
    }

    /// Returns nil if the file was removed or is not accessible.
    private static func listed(_ name: String, in folder: Int32) -> ListedFile? {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return ListedFile(
            name: name, isRegular: isRegular(status), byteCount: Int(status.st_size), modified: modified(status))
    }

    public func availableBytes(at path: String) throws(FileSystemFailure) -> Int {
        var status = statvfs()
        try retrying("statvfs") { unsafe statvfs(path, &status) }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }
}
