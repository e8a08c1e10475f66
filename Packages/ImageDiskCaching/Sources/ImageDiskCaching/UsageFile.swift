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

    private let folder: CacheFolder
    /// The open file, which stays open between locks.
    private var file: Int32?
    /// The number of bytes in use. Nil if the file is new or damaged. Up to date only while the folder is locked.
    private(set) var used: Int?
    /// Whether the folder has another format or layout. Up to date only while the folder is locked.
    private(set) var isOfOtherFormat = false

    init(_ folder: CacheFolder) { self.folder = folder }

    /// Waits for the lock of the folder, and reads the counter. Returns false if the folder doesn't exist.
    ///
    /// - Parameter creating: Whether the folder is created.
    mutating func lock(creating: Bool) throws -> Bool {
        while let file = try file ?? openFile(creating: creating) {
            self.file = file
            _ = try folder.fileSystem.lock(file, waits: true)
            do {
                // The folder can have been removed and created again. Then others lock another file.
                if try folder.fileSystem.statusIfCurrent(file, at: folder.usage) != nil {
                    parse(try folder.fileSystem.read(file, Self.byteCount, at: 0))
                    return true
                }
            } catch {
                unlock()
                throw error
            }
            close()
        }
        return false
    }

    func unlock() {
        if let file { folder.fileSystem.unlock(file) }
    }

    /// Writes the counter. Requires the lock.
    mutating func setUsed(_ byteCount: Int) throws {
        guard let file else { return }
        let known = max(Self.byteCount, byteCount)
        try folder.fileSystem.write(bytes(UInt64(known)), to: file, at: 0)
        used = known
    }

    /// Closes the file.
    mutating func close() {
        if let file = file.take() { folder.fileSystem.closeFile(file) }
    }

    private func openFile(creating: Bool) throws -> Int32? {
        if let file = try ifExists({ try folder.fileSystem.openToUpdate(folder.usage) }) { return file }
        guard creating else { return nil }
        try folder.fileSystem.makeFolder(folder.root)
        return try folder.fileSystem.openToUpdate(folder.usage)
    }

    private func bytes(_ used: UInt64) -> Data {
        let head = UInt64(folder.options.layout == .sharded ? 3 : 4) << 32 | UInt64(Self.magic)
        var bytes = Data()
        for word in [head, used, ~(head ^ used)] { bytes.append(word) }
        return bytes
    }

    private mutating func parse(_ bytes: Data) {
        let head = bytes.number(at: 0, 8)
        let used = bytes.number(at: 8, 8)
        let isIntact = head & 0xFFFF_FFFF == UInt64(Self.magic) && bytes.number(at: 16, 8) == ~(head ^ used)
        isOfOtherFormat = isIntact && bytes != self.bytes(used)
        self.used = isIntact && !isOfOtherFormat ? Int(exactly: used) : nil
    }
}
