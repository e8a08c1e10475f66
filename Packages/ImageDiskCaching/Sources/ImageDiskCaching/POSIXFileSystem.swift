import CImageDiskCaching
public import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Accesses files with the system calls of Linux and Apple platforms. `DiskDataCache` uses it by default.
///
/// - Each method blocks the calling thread, except those for non-blocking access.
/// - Failures contain the name of the system call and its `errno`, for example `open` and `ENOENT`.
/// - Opens, reads, writes and locks that a signal interrupts (`EINTR`) are repeated.
/// - Only the owner can access new files and directories (modes 0600 and 0700).
/// - Locks are those of `flock`, which other programs can ignore.
/// - `synchronize` calls `fdatasync` on Linux. On Apple platforms, it calls `fcntl` with `F_FULLFSYNC`, because `fsync`
///   leaves data in the cache of the device.
/// - Non-blocking access needs `openat2` and `preadv2` of Linux. Without them, these methods return nil.
public struct POSIXFileSystem: FileSystem {
    /// Creates a file system. It has no state.
    public init() {}

    public func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 {
        // O_NONBLOCK: opening a named pipe would block forever.
        try retrying("open") { unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    }

    public func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        try retrying("open") { unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    public func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 {
        try retrying("open") { unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600) }
    }

    public func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32? {
        try Self.nilIfBlocking { () throws(FileSystemFailure) in
            try retrying("openat2") { unsafe disk_open_cached(path) }
        }
    }

    public func readNonblocking(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemFailure) -> Int? {
        try Self.nilIfBlocking { () throws(FileSystemFailure) in
            try retrying("preadv2") { unsafe disk_read_cached(file, buffer.baseAddress, buffer.count) }
        }
    }

    /// Returns nil if the call would block, or if the system or file system doesn't support non-blocking calls.
    private static func nilIfBlocking<Result>(
        _ call: () throws(FileSystemFailure) -> Result
    ) throws(FileSystemFailure) -> Result? {
        do {
            return try call()
        } catch  where [EAGAIN, ENOSYS, EOPNOTSUPP, EINVAL, EPERM].contains(error.code) {
            return nil
        }
    }

    public func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        var status = stat()
        try retrying("fstat") { unsafe fstat(file, &status) }
        return Self.status(status)
    }

    public func status(at path: String) throws(FileSystemFailure) -> FileStatus {
        var status = stat()
        try retrying("lstat") { unsafe lstat(path, &status) }
        return Self.status(status)
    }

    public func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try retrying("pread") {
                unsafe pread(file, rest.baseAddress, rest.count, off_t(offset + filled))
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    public func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try retrying("write") { unsafe systemWrite(file, rest.baseAddress, rest.count) }
        }
    }

    public func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure) {
        let parts = unsafe [bytes, more].map {
            unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        let written = try retrying("write") { unsafe writev(file, parts, 2) }
        try unsafe write(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(written)), to: file)
        try unsafe write(UnsafeRawBufferPointer(rebasing: more.dropFirst(max(0, written - bytes.count))), to: file)
    }

    public func write(
        _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
    ) throws(FileSystemFailure) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try retrying("pwrite") {
                unsafe pwrite(file, rest.baseAddress, rest.count, off_t(offset + written))
            }
        }
    }

    public func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        try retrying("ftruncate") { ftruncate(file, off_t(byteCount)) }
    }

    public func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        let times = [time, time]
        try retrying("futimens") { unsafe futimens(file, times) }
    }

    public func lock(_ file: Int32) throws(FileSystemFailure) -> Bool {
        do {
            try retrying("flock") { flock(file, LOCK_EX | LOCK_NB) }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    public func waitForLock(_ file: Int32) throws(FileSystemFailure) {
        try retrying("flock") { flock(file, LOCK_EX) }
    }

    public func unlock(_ file: Int32) {
        // The call fails only for a descriptor that is not open.
        _ = flock(file, LOCK_UN)
    }

    public func synchronize(_ file: Int32) throws(FileSystemFailure) {
        #if canImport(Darwin)
            // On Apple platforms, fsync leaves data in the cache of the device.
            try retrying("fcntl") { fcntl(file, F_FULLFSYNC) }
        #else
            try retrying("fdatasync") { fdatasync(file) }
        #endif
    }

    public func synchronizeFolder(_ path: String) throws(FileSystemFailure) {
        let folder = try retrying("open") { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(folder) }
        try retrying("fsync") { fsync(folder) }
    }

    public func close(_ file: Int32) {
        // A failure can't be handled: a second call could close a descriptor of other code.
        _ = systemClose(file)
    }

    public func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try retrying("rename") { unsafe systemRename(path, newPath) }
    }

    public func remove(_ path: String) throws(FileSystemFailure) {
        try retrying("unlink") { unsafe unlink(path) }
    }

    public func bootNumber() -> UInt64 { disk_boot_number() }

    private static func status(_ status: stat) -> FileStatus {
        FileStatus(
            isRegular: isRegular(status), byteCount: Int(status.st_size), modified: modified(status),
            identity: FileIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino)),
            hasName: status.st_nlink > 0)
    }

    static func modified(_ status: stat) -> Int64 {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}

/// Repeats a call that a signal interrupts. Throws the failure in errno if the result is -1.
@discardableResult
func retrying<Result: SignedInteger>(
    _ call: String, _ body: () -> Result
) throws(FileSystemFailure) -> Result {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw FileSystemFailure(call: call, code: code) }
    }
}

// Some methods of `POSIXFileSystem` have the same names as these functions.
#if canImport(Glibc)
    private let systemWrite = unsafe Glibc.write
    private let systemClose = Glibc.close
    private let systemRename = unsafe Glibc.rename
#else
    private let systemWrite = unsafe Darwin.write
    private let systemClose = Darwin.close
    private let systemRename = unsafe Darwin.rename
#endif
