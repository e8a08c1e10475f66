import CImageDiskCaching

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Returns the file system of the operating system, for tests.
package func makeSystemFiles() -> any FileSystem { POSIXFileSystem() }

/// The system calls of Linux and Apple platforms. New files and folders belong to the owner only.
struct POSIXFileSystem: FileSystem {
    func openToRead(_ path: String) throws -> Int32 { try open(path, O_RDONLY) }

    func openCached(_ path: String) throws -> Int32? {
        try nilIfBlocking { try open(path, O_RDONLY, cached: true) }
    }

    func openToUpdate(_ path: String) throws -> Int32 { try open(path, O_RDWR | O_CREAT) }

    func create(_ path: String) throws -> Int32 { try open(path, O_WRONLY | O_CREAT | O_EXCL) }

    // A failure can't be handled: a second call could close a descriptor of other code.
    func close(_ file: Int32) { _ = systemClose(file) }

    func read(_ file: Int32, _ count: Int, at offset: Int) throws -> Data {
        try read(file, count, at: offset, cached: false)
    }

    func readCached(_ file: Int32, _ count: Int) throws -> Data? {
        try nilIfBlocking { try read(file, count, at: 0, cached: true) }
    }

    func write(_ bytes: Data, to file: Int32, at offset: Int) throws {
        var written = 0
        while written < bytes.count {
            written += try retrying("write") {
                unsafe bytes.dropFirst(written).withUnsafeBytes {
                    unsafe pwrite(file, $0.baseAddress, $0.count, off_t(offset + written))
                }
            }
        }
    }

    func truncate(_ file: Int32, to byteCount: Int) throws {
        try retrying("ftruncate") { ftruncate(file, off_t(byteCount)) }
    }

    func lock(_ file: Int32, waits: Bool) throws -> Bool {
        do {
            try retrying("flock") { flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
            return true
        } catch let failure as FileSystemFailure where failure.code == EWOULDBLOCK {
            return false
        }
    }

    // The call fails only for a descriptor that is not open.
    func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

    func status(of file: Int32) throws -> FileStatus {
        var status = stat()
        try retrying("fstat") { unsafe fstat(file, &status) }
        return FileStatus(status)
    }

    func status(at path: String) throws -> FileStatus {
        var status = stat()
        try retrying("lstat") { unsafe lstat(path, &status) }
        return FileStatus(status)
    }

    func setModified(_ nanoseconds: Int64, at path: String) throws {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // The parts of a time before 1970 must be positive.
        let time = timespec(
            tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
        try retrying("utimensat") { unsafe utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) }
    }

    func rename(_ path: String, to newPath: String) throws {
        try retrying("rename") { unsafe renameat(AT_FDCWD, path, AT_FDCWD, newPath) }
    }

    func remove(_ path: String) throws { try retrying("unlink") { unsafe unlink(path) } }

    func makeFolder(_ path: String) throws {
        try reportingCode("mkdir") {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    func list(_ path: String) throws -> [String] {
        try reportingCode("opendir") { try FileManager.default.contentsOfDirectory(atPath: path) }
    }

    func availableBytes(at path: String) throws -> Int {
        var status = statvfs()
        try retrying("statvfs") { unsafe statvfs(path, &status) }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    private func open(_ path: String, _ flags: Int32, cached: Bool = false) throws -> Int32 {
        try retrying("open") { unsafe disk_open(path, flags, cached) }
    }

    private func read(_ file: Int32, _ count: Int, at offset: Int, cached: Bool) throws -> Data {
        // Data copies a few bytes when it is created, before they are read, so it always gets more.
        let capacity = max(64, count)
        guard let memory = unsafe malloc(capacity) else { throw FileSystemFailure(call: "malloc", code: ENOMEM) }
        // The data frees the memory, even if reading fails.
        let data = unsafe Data(bytesNoCopy: memory, count: capacity, deallocator: .free)
        var end = 0
        while end < count {
            let read = try retrying("read") { unsafe disk_read(file, memory + end, count - end, offset + end, cached) }
            if read == 0 { break }
            end += read
        }
        return end == capacity ? data : data.prefix(end)
    }

    /// Returns nil if a call would block, or if the system doesn't support non-blocking calls.
    private func nilIfBlocking<Result>(_ call: () throws -> Result) throws -> Result? {
        do {
            return try call()
        } catch let failure as FileSystemFailure
            where [EAGAIN, ENOSYS, EOPNOTSUPP, EINVAL, EPERM].contains(failure.code)
        {
            return nil
        }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        isRegular = status.st_mode & S_IFMT == S_IFREG
        byteCount = Int(status.st_size)
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
    }
}

/// Repeats a call that a signal interrupts. Throws the failure in errno if the result is -1.
@discardableResult
private func retrying<Result: SignedInteger>(_ call: String, _ body: () -> Result) throws -> Result {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw FileSystemFailure(call: call, code: code) }
    }
}

/// Throws the code of the system call that made a method of Foundation fail.
private func reportingCode<Result>(_ call: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        throw FileSystemFailure(call: call, code: cause?.code.rawValue ?? EIO)
    }
}

// `POSIXFileSystem` has a method of the same name.
#if canImport(Glibc)
    private let systemClose = Glibc.close
#else
    private let systemClose = Darwin.close
#endif
