import CImageDiskCaching
import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system calls of Linux and Apple platforms. New files and folders belong to the owner only.
///
/// Each method blocks its thread until it has finished, except with `cached`. Methods throw
/// `FileSystemFailure`. The caller that opens a file closes it.
struct FileSystem: Sendable {
    /// The calls that can fail. `writeRest` follows a write of only a part of the bytes.
    enum Call: String, CaseIterable, Sendable {
        case openToRead, openCached, openToUpdate, create, read, readCached, write, writeRest, truncate
        case lock, status, setModified, rename, remove, makeFolder, list, availableBytes

        /// The name in messages.
        fileprivate var name: String { self == .writeRest ? Call.write.rawValue : rawValue }
    }

    /// Returns the number of bytes, of so many, that a write tries to write first.
    private let firstWrite: @Sendable (Int) -> Int
    /// Is called before each call.
    private let willCall: @Sendable (Call, _ path: String) throws -> Void

    /// Creates a file system. Tests throw a failure in `willCall`, and divide writes, so that they can fail in the middle.
    init(
        firstWrite: @escaping @Sendable (Int) -> Int = { $0 },
        willCall: @escaping @Sendable (Call, _ path: String) throws -> Void = { _, _ in }
    ) {
        self.firstWrite = firstWrite
        self.willCall = willCall
    }

    /// Opens a file for reading. Does not follow symbolic links. If `cached`, throws instead of waiting for a device.
    func openToRead(_ path: String, cached: Bool = false) throws -> Int32 {
        try open(cached ? .openCached : .openToRead, path, O_RDONLY, cached: cached)
    }

    /// Opens a file for reading and writing, and creates it if needed.
    func openToUpdate(_ path: String) throws -> Int32 { try open(.openToUpdate, path, O_RDWR | O_CREAT) }

    /// Creates a file, which must not exist, and opens it for writing.
    func create(_ path: String) throws -> Int32 { try open(.create, path, O_WRONLY | O_CREAT | O_EXCL) }

    /// Closes a file, which also unlocks it. A failure can't be handled.
    func closeFile(_ file: Int32) { _ = close(file) }

    /// Reads up to `count` bytes. Returns fewer at the end of the file, and if `cached` instead of waiting for a device.
    func read(_ file: Int32, _ count: Int, at offset: Int, cached: Bool = false) throws -> Data {
        // `Data(count:)` would fill the memory with zeros. `Data` copies a few bytes, so it always gets more.
        let capacity = max(64, count)
        guard let memory = unsafe malloc(capacity) else { throw FileSystemFailure(call: "malloc", code: ENOMEM) }
        // The data frees the memory, even if reading fails.
        let data = unsafe Data(bytesNoCopy: memory, count: capacity, deallocator: .free)
        var end = 0
        while end < count {
            let read = try perform(cached ? .readCached : .read, "") {
                unsafe disk_read(file, memory + end, count - end, offset + end, cached)
            }
            if read == 0 { break }
            end += read
        }
        return end == capacity ? data : data.prefix(end)
    }

    func write(_ bytes: Data, to file: Int32, at offset: Int) throws {
        var written = 0
        while written < bytes.count {
            let isFirst = written == 0
            let part = bytes.dropFirst(written).prefix(isFirst ? firstWrite(bytes.count) : .max)
            written += try perform(isFirst ? .write : .writeRest, "") {
                unsafe part.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, off_t(offset + written)) }
            }
        }
    }

    /// Shortens a file, or extends it with zeros that take no space.
    func truncate(_ file: Int32, to byteCount: Int) throws {
        try perform(.truncate, "") { ftruncate(file, off_t(byteCount)) }
    }

    /// Locks a file until it is unlocked or closed, or the process ends. Returns false if another descriptor still has it
    /// locked after about this many milliseconds.
    func lock(_ file: Int32, withinMilliseconds limit: Int = 0) throws -> Bool {
        for waited in 0...limit {
            do {
                try perform(.lock, "") { flock(file, LOCK_EX | LOCK_NB) }
                return true
            } catch let failure as FileSystemFailure where failure.isLocked {
                // flock has no time limit of its own.
                if waited < limit { _ = poll(nil, 0, 1) }
            }
        }
        return false
    }

    /// Unlocks a file. The call fails only for a descriptor that is not open.
    func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

    /// Opens a folder and locks a place in it until it is closed. Any number of others can lock the same place.
    ///
    /// Returns nil if the system has no such locks. Throws `.conflictingOptions` if another place is locked.
    func claim(_ place: Int, of folder: String) throws -> Int32? {
        let file = unsafe disk_claim(folder, Int64(place))
        guard file != Int32(disk_is_claimed) else {
            throw DataCacheError.conflictingOptions("another cache uses \(folder) with another limit")
        }
        return file < 0 ? nil : file
    }

    /// Unlocks the place of a folder that `claim` returned, and closes it.
    func endClaim(_ folder: Int32) { disk_end_claim(folder) }

    func status(of file: Int32) throws -> FileStatus {
        var status = stat()
        try perform(.status, "") { unsafe fstat(file, &status) }
        return status
    }

    /// Returns the status of the file at a path. Does not follow symbolic links.
    func status(at path: String) throws -> FileStatus {
        var status = stat()
        try perform(.status, path) { unsafe lstat(path, &status) }
        return status
    }

    /// Returns false if another file than the one with a status, or none, is at a path.
    func isCurrent(_ status: FileStatus, at path: String) throws -> Bool {
        let other = try ifExists { try self.status(at: path) }
        return other?.st_ino == status.st_ino && other?.st_dev == status.st_dev
    }

    /// Sets the modification time of the file at a path. Clamps it to 285 years around 1970.
    func setModified(_ date: Date, at path: String) throws {
        let time = min(9e9, max(-9e9, date.timeIntervalSince1970))
        // Rounded down, because the nanoseconds of a time before 1970 must be positive too.
        let seconds = time.rounded(.down)
        let spec = timespec(tv_sec: Int(clamping: Int64(seconds)), tv_nsec: Int((time - seconds) * 1e9))
        try perform(.setModified, path) { unsafe utimensat(AT_FDCWD, path, [spec, spec], AT_SYMLINK_NOFOLLOW) }
    }

    /// Renames a file, and atomically replaces the file with that name.
    func rename(_ path: String, to newPath: String) throws {
        try perform(.rename, path) { unsafe renameat(AT_FDCWD, path, AT_FDCWD, newPath) }
    }

    func remove(_ path: String) throws { try perform(.remove, path) { unsafe unlink(path) } }

    /// Calls `body`. If the folder of a file doesn't exist, creates it and its parents and calls `body` again.
    func creatingFolder<Result>(of path: String, _ body: () throws -> Result) throws -> Result {
        if let result = try ifExists(body) { return result }
        try performInFoundation(.makeFolder, path) {
            try FileManager.default.createDirectory(
                atPath: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]),
                withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        return try body()
    }

    func list(_ path: String) throws -> [String] {
        try performInFoundation(.list, path) { try FileManager.default.contentsOfDirectory(atPath: path) }
    }

    /// Returns the free space, in bytes, on the device of a folder.
    func availableBytes(at path: String) throws -> Int {
        var status = statvfs()
        try perform(.availableBytes, path) { unsafe statvfs(path, &status) }
        return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    private func open(_ call: Call, _ path: String, _ flags: Int32, cached: Bool = false) throws -> Int32 {
        try perform(call, path) { unsafe disk_open(path, flags, cached) }
    }

    /// Repeats a call that a signal interrupts. Throws the failure in errno if the result is -1.
    @discardableResult
    private func perform<Result: SignedInteger>(_ call: Call, _ path: String, _ body: () -> Result) throws -> Result {
        try willCall(call, path)
        while true {
            let result = body()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw FileSystemFailure(call: call.name, code: code) }
        }
    }

    /// Throws the code of the system call that made a method of Foundation fail.
    private func performInFoundation<Result>(_ call: Call, _ path: String, _ body: () throws -> Result) throws -> Result
    {
        try willCall(call, path)
        do {
            return try body()
        } catch {
            let cause = (error as? CocoaError)?.underlying as? POSIXError
            throw FileSystemFailure(call: call.rawValue, code: cause?.code.rawValue ?? EIO)
        }
    }
}

/// The status of a file.
typealias FileStatus = stat

extension FileStatus {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    var hasName: Bool { st_nlink > 0 }
    var byteCount: Int { Int(st_size) }

    var modified: Date {
        #if canImport(Glibc)
            let time = st_mtim
        #else
            let time = st_mtimespec
        #endif
        return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}

/// A failed call of the operating system.
struct FileSystemFailure: Error, Hashable {
    let call: String
    let code: Int32

    init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Another process has locked the folder.
    static let lockedFolder = FileSystemFailure(call: FileSystem.Call.lock.rawValue, code: EWOULDBLOCK)

    /// Whether the file or one of its parent folders doesn't exist, or a parent is a file of another program.
    var isNotFound: Bool { code == ENOENT || code == ENOTDIR }
    /// Whether the path is not a file of the cache, for example a symbolic link, a folder or a pipe.
    var isForeign: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }
    var isLocked: Bool { code == EWOULDBLOCK }
    var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(code) }
    /// Whether the device failed to read or write.
    var isDeviceError: Bool { code == EIO }

    var text: String {
        if self == Self.lockedFolder { return "lock: another process keeps the folder locked" }
        // strerror returns a valid C string for any number, and the string is copied at once.
        return "\(call): \(unsafe String(cString: strerror(code)))"
    }
}

extension DataCacheError {
    init(ofDisk error: any Error) {
        guard let failure = error as? FileSystemFailure else {
            self.init(error)
            return
        }
        switch failure.code {
        case ENOSPC, EDQUOT: self = .noSpace
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST,
            EWOULDBLOCK:
            self = .inaccessible(failure.text)
        default: self = .io(failure.text)
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
