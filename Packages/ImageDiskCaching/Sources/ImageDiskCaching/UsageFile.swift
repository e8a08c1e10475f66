#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The counter of the bytes in use, which all processes share. Its `flock` is the lock of the folder.
///
/// ```text
/// 24 bytes, little-endian:
///   magic    4  "SILu"
///   layout   4  3 for subfolders, 4 for a flat folder
///   used     8  the lengths of all entries, parts and this file
///   check    8  the complement of the first 8 bytes combined with `used` (exclusive or)
/// ```
/// Bytes are added before they are written, and subtracted after they are removed. So a process that ends at any moment
/// leaves a counter that is right or too high, never one that is too low. The next scan of the folder corrects it.
struct UsageFile {
    static let byteCount = 24
    private static let magic: UInt32 = 0x754C_4953

    private let paths: FolderPaths
    private let fileSystem: FileSystem
    /// The open file, which stays open between locks.
    private var open: (file: Int32, identity: FileStatus.Identity)?
    /// The number of bytes in use. Nil if the file is new or damaged. Up to date only while the folder is locked.
    private(set) var used: Int?
    /// Whether the folder has another format or layout. Up to date only while the folder is locked.
    private(set) var isOfOtherFormat = false

    init(_ paths: FolderPaths, _ fileSystem: FileSystem) {
        self.paths = paths
        self.fileSystem = fileSystem
    }

    /// Waits for the lock of the folder, and reads the counter. Returns false if the folder doesn't exist.
    ///
    /// - Parameter creating: Whether the folder is created.
    mutating func lock(creating: Bool) throws -> Bool {
        while true {
            guard let file = try openFile(creating: creating) else { return false }
            _ = try fileSystem.lock(file, waits: true)
            // The folder can have been removed and created again. Then others lock another file.
            if try ifExists({ try fileSystem.status(at: paths.usage) })?.identity == open?.identity {
                do {
                    parse(try fileSystem.read(file, Self.byteCount, at: 0))
                    return true
                } catch {
                    fileSystem.unlock(file)
                    throw error
                }
            }
            close()
        }
    }

    func unlock() {
        if let open { fileSystem.unlock(open.file) }
    }

    /// Writes the counter. Requires the lock.
    mutating func setUsed(_ byteCount: Int) throws {
        guard let open else { return }
        let known = max(Self.byteCount, byteCount)
        try fileSystem.write(bytes(UInt64(known)), to: open.file, at: 0)
        used = known
    }

    /// Closes the file.
    mutating func close() {
        if let open { fileSystem.close(open.file) }
        open = nil
    }

    private mutating func openFile(creating: Bool) throws -> Int32? {
        if let open { return open.file }
        var file = try ifExists { try fileSystem.openToUpdate(paths.usage) }
        if file == nil, creating {
            try fileSystem.makeFolder(paths.root)
            file = try fileSystem.openToUpdate(paths.usage)
        }
        guard let file else { return nil }
        do {
            open = (file, try fileSystem.status(of: file).identity)
            return file
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    private func bytes(_ used: UInt64) -> Data {
        let head = UInt64(paths.layout == .sharded ? 3 : 4) << 32 | UInt64(Self.magic)
        return Data(
            [head, used, ~(head ^ used)].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        )
    }

    private mutating func parse(_ bytes: Data) {
        let words = (0..<3).map { word in
            bytes.dropFirst(8 * word).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let isIntact = UInt32(truncatingIfNeeded: words[0]) == Self.magic && words[2] == ~(words[0] ^ words[1])
        isOfOtherFormat = isIntact && bytes != self.bytes(words[1])
        used = isIntact && !isOfOtherFormat ? Int(exactly: words[1]) : nil
    }
}
