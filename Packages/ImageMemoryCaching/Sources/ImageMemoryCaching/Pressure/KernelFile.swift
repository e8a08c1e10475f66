#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads files that the kernel generates, such as those in `/proc`. They are small, and reads don't block.
enum KernelFile {
    /// More than any of these files contains.
    private static var maxBytes: Int { 1 << 20 }

    static func text(of path: String) throws(MemoryPressureFailure) -> String {
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure("open", path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < maxBytes {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read", path) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A file that is missing, unreadable or not supported by the kernel is not available.
    private static func failure(_ call: String, _ path: String) -> MemoryPressureFailure {
        switch errno {
        case ENOENT, ENOTDIR, EACCES, EPERM, EOPNOTSUPP, ENODEV, EISDIR: .notAvailable(file: path)
        default: .refused(call: call, code: errno)
        }
    }
}
