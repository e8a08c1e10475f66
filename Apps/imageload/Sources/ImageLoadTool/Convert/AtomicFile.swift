import CImageLoadTool
import Foundation

/// Writes files so that a reader, a full disk or an interruption never leaves a part of one. Blocks.
enum AtomicFile {
    /// Writes a file and creates its folder. Throws a `ToolFailure` that names the file.
    ///
    /// - Parameter replaces: Whether an existing file is replaced: the new one gets its owner and permissions, and is
    ///   on the device before.
    static func write(_ data: Data, to path: String, replaces: Bool = false) throws(ToolFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var error = attempt(data, folder, path, replaces)
        if error == ENOENT, !replaces {
            _ = try FileAccess.createFolder(at: folder)
            error = attempt(data, folder, path, replaces)
        }
        if error != 0 { throw ToolFailure(cantWrite: path, unsafe String(cString: strerror(error))) }
    }

    private static func attempt(_ data: Data, _ folder: String, _ path: String, _ replaces: Bool) -> CInt {
        let aside = "\(folder)/.imageload-\(UUID().uuidString)"
        return unsafe data.withUnsafeBytes { bytes in
            unsafe tool_write_file(
                folder, path, aside, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count,
                replaces ? 1 : 0)
        }
    }
}
