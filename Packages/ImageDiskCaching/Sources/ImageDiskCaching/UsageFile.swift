import ImageCore

/// The counter of the bytes in use, which all processes share. Its `flock` is the lock of the folder.
///
/// ```text
/// 24 bytes, little-endian:
///   magic    4  "SILu"
///   format   4  5
///   used     8  the lengths of all entries, parts and this file
///   check    8  the complement of the first 8 bytes combined with `used` (exclusive or)
/// ```
/// Bytes are added before they are written, and subtracted after they are removed. So a process that ends at any moment
/// leaves a counter that is right or too high, never one that is too low. The next scan of the folder corrects it.
struct UsageFile {
    static let byteCount = 24
    private static let magic: UInt32 = 0x754C_4953
    /// How long a change waits while another process has locked the folder, in milliseconds.
    private static let lockLimit = 2_000

    private let folder: CacheFolder
    /// The open file, which stays open between locks.
    private var file: Int32?
    private var status: FileStatus?
    /// The number of bytes in use. Nil if the file is new or damaged. Up to date only while the folder is locked.
    private(set) var used: Int?
    /// Whether the folder has another format. Up to date only while the folder is locked.
    private(set) var isOfOtherFormat = false
    /// Whether the last wait for the lock was in vain, for example because another process is stopped in it. The next
    /// changes don't wait.
    private var isStuck = false

    init(_ folder: CacheFolder) { self.folder = folder }

    /// Waits for the lock of the folder, and reads the counter. Returns false if the folder doesn't exist and isn't
    /// created. Throws if another process keeps the lock.
    mutating func lock(creating: Bool) throws -> Bool {
        while let file = try file ?? openFile(creating: creating) {
            self.file = file
            var isRead = false
            defer { if !isRead { close() } }
            isStuck = try !folder.fileSystem.lock(file, withinMilliseconds: isStuck ? 0 : Self.lockLimit)
            if isStuck { throw FileSystemFailure.lockedFolder }
            // The folder can have been removed and created again. Then others lock another file.
            status = try folder.fileSystem.status(of: file)
            if status?.hasName == false { continue }
            parse(try folder.fileSystem.read(file, Self.byteCount, at: 0))
            isRead = true
            return true
        }
        return false
    }

    /// Throws if the folder was removed or moved since it was locked.
    mutating func requireCurrent() throws {
        if let status, try folder.fileSystem.isCurrent(status, at: folder.usage) { return }
        close()
        throw DataCacheError.inaccessible("The folder was removed")
    }

    func unlock() { if let file { folder.fileSystem.unlock(file) } }

    /// Writes the counter. Requires the lock.
    mutating func setUsed(_ byteCount: Int) throws {
        guard let file else { return }
        let known = max(Self.byteCount, byteCount)
        try folder.fileSystem.write(bytes(UInt64(known)), to: file, at: 0)
        used = known
    }

    mutating func close() {
        if let file = file.take() { folder.fileSystem.closeFile(file) }
        folder.claim.end()
        status = nil
    }

    private func openFile(creating: Bool) throws -> Int32? {
        let open = { try folder.fileSystem.openToUpdate(folder.usage) }
        return creating ? try folder.fileSystem.creatingFolder(of: folder.usage, open) : try ifExists(open)
    }

    private func bytes(_ used: UInt64) -> Data {
        let head = UInt64(5) << 32 | UInt64(Self.magic)
        var bytes: [UInt8] = []
        for word in [head, used, ~(head ^ used)] { bytes.append(word) }
        return Data(bytes)
    }

    private mutating func parse(_ bytes: Data) {
        let head = bytes.number(at: 0, 8)
        let used = bytes.number(at: 8, 8)
        let isIntact = head & 0xFFFF_FFFF == UInt64(Self.magic) && bytes.number(at: 16, 8) == ~(head ^ used)
        isOfOtherFormat = isIntact && bytes != self.bytes(used)
        self.used = isIntact && !isOfOtherFormat ? Int(exactly: used) : nil
    }
}
