import CImageDiskCaching
import ImageCore

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

/// The system calls of Linux and Apple platforms. New files and folders belong to the owner only.
///
/// Each method blocks its thread until it has finished, except `openCached` and `readCached`. Methods throw
/// `FileSystemFailure`. The caller that opens a file closes it.
package struct FileSystem: Sendable {
    /// The calls that can fail. A write is two calls for tests, one for each half, so that it can fail in its middle.
    package enum Call: String, CaseIterable, Sendable {
        case openToRead, openCached, openToUpdate, create, read, readCached, write, writeRest, truncate
        case lock, status, setModified, rename, remove, makeFolder, list, availableBytes
    }

    /// Is called before each call. Tests throw a failure in it.
    private let willCall: (@Sendable (Call, _ path: String) throws -> Void)?

    /// Creates a file system.
    package init(willCall: (@Sendable (Call, _ path: String) throws -> Void)? = nil) { self.willCall = willCall }

    /// Opens a file for reading. Does not follow symbolic links.
    func openToRead(_ path: String) throws -> Int32 { try open(.openToRead, path, O_RDONLY) }

    /// Like `openToRead`, without waiting for a device. Returns nil if that is not possible.
    func openCached(_ path: String) throws -> Int32? {
        try nilIfBlocking { try open(.openCached, path, O_RDONLY, cached: true) }
    }

    /// Opens a file for reading and writing, and creates it if needed.
    func openToUpdate(_ path: String) throws -> Int32 { try open(.openToUpdate, path, O_RDWR | O_CREAT) }

    /// Creates a file, which must not exist, and opens it for writing.
    func create(_ path: String) throws -> Int32 { try open(.create, path, O_WRONLY | O_CREAT | O_EXCL) }

    /// Closes a file, which also unlocks it. A failure can't be handled.
    func close(_ file: Int32) { _ = systemClose(file) }

    /// Reads up to `count` bytes. Returns fewer at the end of the file.
    func read(_ file: Int32, _ count: Int, at offset: Int) throws -> Data {
        try read(.read, file, count, at: offset, cached: false)
    }

    /// Like `read` from the start of the file, without waiting for a device. Returns nil if that is not possible.
    func readCached(_ file: Int32, _ count: Int) throws -> Data? {
        try nilIfBlocking { try read(.readCached, file, count, at: 0, cached: true) }
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: Data, to file: Int32, at offset: Int) throws {
        var written = 0
        while written < bytes.count {
            // In tests, the first half is written first.
            let isFirst = written == 0 && willCall != nil
            let part = bytes.dropFirst(written).prefix(isFirst ? (bytes.count + 1) / 2 : .max)
            written += try perform(written == 0 || willCall == nil ? .write : .writeRest, "") {
                unsafe part.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, off_t(offset + written)) }
            }
        }
    }

    /// Shortens a file, or extends it with zeros that take no space.
    func truncate(_ file: Int32, to byteCount: Int) throws {
        try perform(.truncate, "") { ftruncate(file, off_t(byteCount)) }
    }

    /// Locks a file until it is unlocked or closed, or the process ends. Returns false if another descriptor has locked
    /// it and `waits` is false.
    func lock(_ file: Int32, waits: Bool) throws -> Bool {
        do {
            try perform(.lock, "") { flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
            return true
        } catch let failure as FileSystemFailure where failure.code == EWOULDBLOCK {
            return false
        }
    }

    /// Unlocks a file. The call fails only for a descriptor that is not open.
    func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

    /// Returns the status of an open file.
    func status(of file: Int32) throws -> FileStatus {
        var status = stat()
        try perform(.status, "") { unsafe fstat(file, &status) }
        return FileStatus(status)
    }

    /// Returns the status of the file at a path. Does not follow symbolic links.
    func status(at path: String) throws -> FileStatus {
        var status = stat()
        try perform(.status, path) { unsafe lstat(path, &status) }
        return FileStatus(status)
    }

    /// Sets the modification time of the file at a path, in nanoseconds since 1970.
    func setModified(_ nanoseconds: Int64, at path: String) throws {
        // Rounded down, because the nanoseconds of a time before 1970 must be positive too.
        let seconds = (Double(nanoseconds) / 1e9).rounded(.down)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds - Int64(seconds) * 1_000_000_000))
        try perform(.setModified, path) { unsafe utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) }
    }

    /// Renames a file, and atomically replaces the file with that name.
    func rename(_ path: String, to newPath: String) throws {
        try perform(.rename, path) { unsafe renameat(AT_FDCWD, path, AT_FDCWD, newPath) }
    }

    /// Removes a file. Open descriptors can still read it.
    func remove(_ path: String) throws { try perform(.remove, path) { unsafe unlink(path) } }

    /// Creates a folder and its parents, unless it exists.
    func makeFolder(_ path: String) throws {
        try willCall?(.makeFolder, path)
        try reportingCode("mkdir") {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    /// Returns the names of the files in a folder.
    func list(_ path: String) throws -> [String] {
        try willCall?(.list, path)
        return try reportingCode("opendir") { try FileManager.default.contentsOfDirectory(atPath: path) }
    }

    /// Returns the free space, in bytes, on the device of a folder.
    func availableBytes(at path: String) throws -> Int {
        var status = statvfs()
        try perform(.availableBytes, path) { unsafe statvfs(path, &status) }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    private func open(_ call: Call, _ path: String, _ flags: Int32, cached: Bool = false) throws -> Int32 {
        try perform(call, path) { unsafe disk_open(path, flags, cached) }
    }

    private func read(_ call: Call, _ file: Int32, _ count: Int, at offset: Int, cached: Bool) throws -> Data {
        // Data copies a few bytes when it is created, before they are read, so it always gets more.
        let capacity = max(64, count)
        guard let memory = unsafe malloc(capacity) else { throw FileSystemFailure(call: "malloc", code: ENOMEM) }
        // The data frees the memory, even if reading fails.
        let data = unsafe Data(bytesNoCopy: memory, count: capacity, deallocator: .free)
        var end = 0
        while end < count {
            let read = try perform(call, "") { unsafe disk_read(file, memory + end, count - end, offset + end, cached) }
            if read == 0 { break }
            end += read
        }
        return end == capacity ? data : data.prefix(end)
    }

    /// Repeats a call that a signal interrupts. Throws the failure in errno if the result is -1.
    @discardableResult
    private func perform<Result: SignedInteger>(_ call: Call, _ path: String, _ body: () -> Result) throws -> Result {
        try willCall?(call, path)
        while true {
            let result = body()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw FileSystemFailure(call: call.rawValue, code: code) }
        }
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

/// The status of a file.
struct FileStatus {
    /// Equal for two open files only if they are the same file.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    let isRegular: Bool
    let byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    let modified: Int64
    let identity: Identity

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

/// Throws the code of the system call that made a method of Foundation fail.
private func reportingCode<Result>(_ call: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        throw FileSystemFailure(call: call, code: cause?.code.rawValue ?? EIO)
    }
}

// `FileSystem` has a method of the same name.
#if canImport(Glibc)
    private let systemClose = Glibc.close
#else
    private let systemClose = Darwin.close
#endif
