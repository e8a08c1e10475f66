import Synchronization

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

/// A regular file that is open for reading until this object is released. Its methods block, so don't call them on the
/// cooperative thread pool.
final class OpenFile: Sendable {
    let byteCount: Int
    private let descriptor: Int32
    private let path: String
    private let offset = Mutex(0)

    init(path: String, confinedTo folders: [String]?) throws(TransportFailure) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        self.descriptor = descriptor
        var status = stat()
        let isRegular = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        byteCount = Int(status.st_size)
        // All properties are initialized: `deinit` closes the descriptor if the initializer throws from here on.
        guard isRegular else { throw .other("\(path) is not a regular file") }
        if let folders, !Self.contains(folders, realPath(ofOpen: descriptor)) {
            throw .other("\(path) is outside the allowed folders")
        }
    }

    deinit { close(descriptor) }

    /// Returns the next bytes, or nil at the end. Throws `.closedEarly` if the file was truncated after it was opened.
    func read(atMost limit: Int) throws(TransportFailure) -> Data? {
        let start = offset.withLock { $0 }
        let wanted = min(limit, byteCount - start)
        guard wanted > 0 else { return nil }
        var piece = Data(count: wanted)
        let count = unsafe piece.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, wanted, off_t(start))
        }
        guard count >= 0 else { throw .other("can't read \(path): \(Self.reason(errno))") }
        guard count > 0 else { throw .closedEarly(received: start, expected: byteCount) }
        offset.withLock { $0 += count }
        return count == wanted ? piece : piece.prefix(count)
    }

    private static func contains(_ folders: [String], _ path: String?) -> Bool {
        guard let path else { return false }
        return folders.contains { folder in
            guard let real = realPath(of: folder) else { return false }
            return path.hasPrefix(real.hasSuffix("/") ? real : real + "/")
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> TransportFailure {
        code == ENOENT || code == ENOTDIR ? .notFound(path) : .other("\(path): \(reason(code))")
    }

    private static func reason(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

private func realPath(of path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
}

/// Returns the current path of an open file, with all symbolic links resolved.
private func realPath(ofOpen descriptor: Int32) -> String? {
    #if canImport(Glibc)
        return realPath(of: "/proc/self/fd/\(descriptor)")
    #else
        var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        let result = unsafe path.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe fcntl(descriptor, F_GETPATH, $0) } ?? -1
        }
        guard result == 0 else { return nil }
        return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #endif
}
