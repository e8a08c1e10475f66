#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The operating system itself.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 {
        // O_NONBLOCK: a named pipe in the folder would block open for ever.
        try retrying("open") { unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    }

    package func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        try retrying("open") { unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    package func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        var status = stat()
        try retrying("fstat") { unsafe fstat(file, &status) }
        return FileStatus(isRegular: Self.isRegular(status), byteCount: Int(status.st_size))
    }

    package func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try retrying("pread") { unsafe pread(file, rest.baseAddress, rest.count, off_t(filled)) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try retrying("write") { unsafe systemWrite(file, rest.baseAddress, rest.count) }
        }
    }

    package func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        let times = [time, time]
        try retrying("futimens") { unsafe futimens(file, times) }
    }

    package func lock(_ file: Int32) throws(FileSystemFailure) -> Bool {
        do {
            try retrying("flock") { flock(file, LOCK_EX | LOCK_NB) }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    package func synchronize(_ file: Int32) throws(FileSystemFailure) {
        #if canImport(Darwin)
            // There, fsync leaves data in the device's cache.
            try retrying("fcntl") { fcntl(file, F_FULLFSYNC) }
        #else
            try retrying("fdatasync") { fdatasync(file) }
        #endif
    }

    package func synchronizeFolder(_ path: String) throws(FileSystemFailure) {
        let folder = try retrying("open") { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(folder) }
        try retrying("fsync") { fsync(folder) }
    }

    package func close(_ file: Int32) {
        // Nothing can be done about a failure, and closing twice could hit a descriptor of somebody else's.
        _ = systemClose(file)
    }

    package func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try retrying("rename") { unsafe systemRename(path, newPath) }
    }

    package func remove(_ path: String) throws(FileSystemFailure) {
        try retrying("unlink") { unsafe unlink(path) }
    }

    package func makeFolder(_ path: String) throws(FileSystemFailure) {
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

    package func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        guard let folder = unsafe opendir(path) else { throw FileSystemFailure(call: "opendir", code: errno) }
        defer { unsafe closedir(folder) }
        let descriptor = unsafe dirfd(folder)
        var files: [ListedFile] = []
        errno = 0
        while let entry = unsafe readdir(folder) {
            // The name is valid until the next readdir, and ends with a zero byte.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", let file = Self.listed(name, in: descriptor) { files.append(file) }
            errno = 0
        }
        if errno != 0 { throw FileSystemFailure(call: "readdir", code: errno) }
        return files
    }

    /// Nil when the file is gone or can't be looked at: the cache then has no business with it.
    private static func listed(_ name: String, in folder: Int32) -> ListedFile? {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return ListedFile(
            name: name, isRegular: isRegular(status), byteCount: Int(status.st_size),
            modified: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}

/// Calls until no signal interrupts, and turns -1 into the failure that errno tells.
@discardableResult
private func retrying<Result: SignedInteger>(
    _ call: String, _ body: () -> Result
) throws(FileSystemFailure) -> Result {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw FileSystemFailure(call: call, code: code) }
    }
}

// The names of these calls are taken by methods above.
#if canImport(Glibc)
    private let systemWrite = unsafe Glibc.write
    private let systemClose = Glibc.close
    private let systemRename = unsafe Glibc.rename
#else
    private let systemWrite = unsafe Darwin.write
    private let systemClose = Darwin.close
    private let systemRename = unsafe Darwin.rename
#endif
