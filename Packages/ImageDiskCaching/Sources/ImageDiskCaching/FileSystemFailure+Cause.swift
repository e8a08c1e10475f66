import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileSystemFailure {
    /// True when the file, or a folder on the way to it, is not there.
    var isAbsence: Bool { code == ENOENT }

    /// True when the name is there but is no file that the cache could have made: a symbolic link, a folder in the wrong slot.
    var isForeign: Bool { code == ELOOP || code == EISDIR || code == ENXIO }

    /// True when the name is taken.
    var isTaken: Bool { code == EEXIST }

    /// True when the file may not be changed by us.
    var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// True when the device could not deliver what it once took.
    var isDeviceError: Bool { code == EIO }

    /// No memory for the contents of a file.
    static var noMemory: FileSystemFailure { FileSystemFailure(call: "malloc", code: ENOMEM) }

    /// Others were faster, time and again.
    static var contended: FileSystemFailure { FileSystemFailure(call: "flock", code: EAGAIN) }

    /// Neither the limit nor the free space leaves space, and nothing is left that could be evicted.
    static var noSpace: FileSystemFailure { FileSystemFailure(call: "statvfs", code: ENOSPC) }

    /// The failure as the port tells it.
    var asDataCacheFailure: DataCacheFailure {
        switch code {
        case ENOSPC, EDQUOT: .noSpace
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST: .inaccessible(text)
        default: .io(text)
        }
    }

    /// The call and the reason, for people.
    var text: String {
        // strerror returns a valid C string for any number; it is copied before anyone else can ask.
        "\(call): \(unsafe String(cString: strerror(code)))"
    }
}
