import Foundation

/// An entry of a disk cache, read from its file by the format that the README of ImageDiskCaching describes.
struct StoredEntry {
    /// The length of the trailer, in which the lengths of the other parts are.
    private static let trailerSize = 48

    var key: String
    /// The length of the file.
    var byteCount: Int
    /// The time at which the entry was stored or read last.
    var lastUse: Date

    /// Lists the entries of a folder, in any order. Doesn't verify their checksums.
    static func list(in folder: URL) -> [StoredEntry] {
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey]
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: Array(keys))
        return (files?.allObjects ?? []).compactMap { file in
            guard let url = file as? URL, url.lastPathComponent.utf8.count == 64,
                let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true,
                let size = values.fileSize, let date = values.contentModificationDate,
                let key = try? key(of: FileHandle(forReadingFrom: url), size)
            else { return nil }
            return StoredEntry(key: key, byteCount: size, lastUse: date)
        }
    }

    /// Returns nil if the file isn't an entry.
    private static func key(of file: FileHandle, _ size: Int) throws -> String? {
        guard size >= trailerSize else { return nil }
        try file.seek(toOffset: UInt64(size - trailerSize))
        let trailer = try file.read(upToCount: trailerSize) ?? Data()
        let isCurrent = number(24..<28, of: trailer) == 3 && trailer.dropFirst(28).starts(with: Data("SILe".utf8))
        let (payload, key) = (number(8..<16, of: trailer), number(16..<20, of: trailer))
        guard isCurrent, payload <= size - trailerSize, key <= size - trailerSize - payload else { return nil }
        try file.seek(toOffset: UInt64(payload))
        return String(decoding: try file.read(upToCount: key) ?? Data(), as: UTF8.self)
    }

    /// Returns a little-endian number, or the largest one if it is larger or missing.
    private static func number(_ range: Range<Int>, of trailer: Data) -> Int {
        guard trailer.count == trailerSize else { return .max }
        return Int(
            clamping: trailer.dropFirst(range.lowerBound).prefix(range.count).reversed().reduce(0 as UInt64) {
                $0 << 8 | UInt64($1)
            })
    }
}
