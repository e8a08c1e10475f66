import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The size of a folder while other threads or processes change it.
///
/// A sum over a listing could count removed and new files that never existed together. To prevent this, all files are
/// opened first, and a file counts only if it still has a name when all are open. New files don't count, so the sum is
/// a lower bound.
struct FolderSample: CustomStringConvertible {
    /// The size of entries, files that are being written, and the index.
    let byteCount: Int

    var description: String { "\(byteCount) bytes" }

    init(_ path: String) {
        let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        let files = names.map { unsafe open("\(path)/\($0)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
            .filter { $0 >= 0 }
        defer { for file in files { close(file) } }
        var sizes: [ino_t: Int] = [:]
        for status in files.map(Self.status) where status.st_mode & S_IFMT == S_IFREG {
            sizes[status.st_ino] = Int(status.st_size)
        }
        // An open file keeps its identity. A file that is renamed meanwhile can be listed twice.
        var counted: [ino_t: Int] = [:]
        for status in files.map(Self.status) where status.st_nlink > 0 {
            counted[status.st_ino] = min(sizes[status.st_ino] ?? 0, Int(status.st_size))
        }
        byteCount = counted.values.reduce(0, +)
    }

    /// Returns true if the limit holds.
    func isWithin(_ limits: WorkloadLimits) -> Bool { byteCount <= limits.byteLimit }

    private static func status(of file: Int32) -> stat {
        var status = stat()
        unsafe fstat(file, &status)
        return status
    }
}
