import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileSystemFailure {
    /// True if the file or one of its parent folders doesn't exist.
    var isAbsence: Bool { code == ENOENT }

    /// True if the path is not a file of the cache, for example a symbolic link or a folder.
    var isForeign: Bool { code == ELOOP || code == EISDIR || code == ENXIO }

    /// True if the file exists already.
    var isTaken: Bool { code == EEXIST }

    /// True if the process has no permission to change the file.
    var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// True if the device failed to read or write.
    var isDeviceError: Bool { code == EIO }

    /// There is not enough memory for a file.
    static var noMemory: FileSystemFailure { FileSystemFailure(call: "malloc", code: ENOMEM) }

    /// Other processes took precedence several times in a row.
    static var contended: FileSystemFailure { FileSystemFailure(call: "flock", code: EAGAIN) }

    /// The limit or the file system has too little space, and no entry is left to evict.
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
