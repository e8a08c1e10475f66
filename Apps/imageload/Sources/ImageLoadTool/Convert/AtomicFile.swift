import CImageLoadTool
import Foundation

/// Writes files so that a reader, a full disk or an interruption never leaves a part of one. Blocks.
enum AtomicFile {
    /// Writes a file and creates its folder. Throws a `ToolFailure` that names the file.
    ///
    /// - Parameters:
    ///   - permissions: The permissions of the file. By default, those that new files have.
    ///   - syncs: Whether the bytes are on the device before the older file is replaced.
    static func write(_ data: Data, to path: String, permissions: Int? = nil, syncs: Bool = false) throws(ToolFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var error = attempt(data, folder, path, permissions ?? defaultPermissions, syncs)
        if error == ENOENT {
            _ = try FileAccess.createFolder(at: folder)
            error = attempt(data, folder, path, permissions ?? defaultPermissions, syncs)
        }
        guard error != 0 else { return }
        let reason = unsafe String(cString: strerror(error))
        throw ToolFailure(
            status: .inputOutput,
            line: "\(path.onOneLine): can't write (\(reason)). Check the folder and the free space.")
    }

    private static func attempt(
        _ data: Data, _ folder: String, _ path: String, _ permissions: Int, _ syncs: Bool
    ) -> CInt {
        let aside = "\(folder)/.imageload-\(UUID().uuidString)"
        return unsafe data.withUnsafeBytes { bytes in
            unsafe tool_write_file(
                folder, path, aside, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count,
                UInt32(permissions), syncs ? 1 : 0)
        }
    }

    private static let defaultPermissions: Int = {
        let mask = umask(0)
        umask(mask)
        return Int(0o666 & ~mask)
    }()
}
