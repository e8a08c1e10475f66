import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileSystemFailure {
    /// Whether the file or one of its parent folders doesn't exist.
    var isNotFound: Bool { code == ENOENT }

    /// Whether the path is not a file of the cache, for example a symbolic link or a folder.
    var isForeign: Bool { code == ELOOP || code == EISDIR || code == ENXIO }

    /// Whether the file exists already.
    var alreadyExists: Bool { code == EEXIST }

    /// Whether the process has no permission to access the file.
    var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// Whether the device failed to read or write.
    var isDeviceError: Bool { code == EIO }

    /// An error for too little memory to read a file.
    static var noMemory: FileSystemFailure { FileSystemFailure(call: "malloc", code: ENOMEM) }

    /// An error for a lock or a name that other processes took several times in a row.
    static var contended: FileSystemFailure { FileSystemFailure(call: "flock", code: EAGAIN) }

    /// An error for too little space within the limit or on the file system, and no entry left to evict.
    static var noSpace: FileSystemFailure { FileSystemFailure(call: "statvfs", code: ENOSPC) }

    /// The corresponding failure of a `DataCache`.
    var asDataCacheFailure: DataCacheFailure {
        switch code {
        case ENOSPC, EDQUOT: .noSpace
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST: .inaccessible(text)
        default: .io(text)
        }
    }

    /// The system call and the reason as text.
    var text: String {
        // strerror returns a valid C string for any number, and the string is copied at once.
        "\(call): \(unsafe String(cString: strerror(code)))"
    }
}
