import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A failed call of the operating system.
package struct FileSystemFailure: Error, Hashable {
    /// The name of the call, as in its manual page.
    let call: String
    /// The value of errno.
    let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Whether the file or one of its parent folders doesn't exist.
    var isNotFound: Bool { code == ENOENT }
    var alreadyExists: Bool { code == EEXIST }
    /// Whether the path is not a file of the cache, for example a symbolic link, a folder or a pipe.
    var isForeign: Bool { [ELOOP, EISDIR, ENXIO, ENOTDIR].contains(code) }
    /// Whether the process has no permission.
    var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(code) }
    /// Whether the device failed to read or write.
    var isDeviceError: Bool { code == EIO }

    /// The system call and the reason as text.
    var text: String {
        // strerror returns a valid C string for any number, and the string is copied at once.
        "\(call): \(unsafe String(cString: strerror(code)))"
    }
}

extension DataCacheFailure {
    /// The failure that the cache throws for an error in it.
    init(_ error: any Error) {
        switch error {
        case let failure as DataCacheFailure: self = failure
        case let failure as FileSystemFailure:
            switch failure.code {
            case ENOSPC, EDQUOT: self = .noSpace
            case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST:
                self = .inaccessible(failure.text)
            default: self = .io(failure.text)
            }
        default: self = .io("\(error)")
        }
    }
}

/// Returns nil if a file doesn't exist.
func ifExists<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
        return try body()
    } catch let failure as FileSystemFailure where failure.isNotFound {
        return nil
    }
}
