import CImageLoadTool
import Foundation

/// Writes files so that a reader, a full disk or an interruption never leaves a part of one. Blocks.
enum AtomicFile {
    /// Writes a file and creates its folder, or writes to a pipe or a device. Throws a `ToolFailure` that names the file.
    ///
    /// - Parameters:
    ///   - options: How the file was made, for `isMade`.
    ///   - replaces: Whether an existing file is replaced: the new one gets its owner, permissions and options, and is
    ///     on the device before.
    static func write(
        _ data: Data, to path: String, options: String? = nil, replaces: Bool = false
    ) throws(ToolFailure) {
        if InputFiles.isStream(path) { return try writeToStream(data, path) }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var error = attempt(data, folder, path, options, replaces)
        if error == ENOENT, !replaces {
            _ = try FileAccess.createFolder(at: folder)
            error = attempt(data, folder, path, options, replaces)
        }
        if error != 0 { throw ToolFailure(cantWrite: path, unsafe String(cString: strerror(error))) }
    }

    /// Whether a file was written with these options. Also true if that isn't known, because the file system has no
    /// extended attributes, or another program wrote the file.
    static func isMade(_ path: String, with options: String) -> Bool { unsafe tool_has_options(path, options) != 0 }

    /// Gives a file the times of another. Throws a `ToolFailure` that names the file.
    static func copyTime(of source: String, to path: String) throws(ToolFailure) {
        let error = unsafe tool_copy_times(source, path)
        if error != 0 { throw ToolFailure(cantWrite: path, unsafe String(cString: strerror(error))) }
    }

    private static func writeToStream(_ data: Data, _ path: String) throws(ToolFailure) {
        do {
            let stream = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try stream.write(contentsOf: data)
            try stream.close()
        } catch {
            throw ToolFailure(cantWrite: path, error.reason)
        }
    }

    private static func attempt(
        _ data: Data, _ folder: String, _ path: String, _ options: String?, _ replaces: Bool
    ) -> CInt {
        let aside = "\(folder)/.imageload-\(UUID().uuidString)"
        return unsafe data.withUnsafeBytes { bytes in
            unsafe tool_write_file(
                folder, path, aside, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count,
                options, replaces ? 1 : 0)
        }
    }
}
