import Foundation
import ImageCore

/// An entry of a disk cache, read from its file by the format that the README of ImageDiskCaching describes.
struct StoredEntry {
    /// The length of the trailer, in which the lengths of the other parts are.
    private static let trailerSize = 48

    var key: String
    /// The length of the file.
    var byteCount: Int
    /// The time at which the entry was stored or read last.
    var lastUse: Date

    /// Lists the entries of a folder, in any order. Doesn't verify their checksums. Throws if a file can't be read.
    static func list(in folder: URL) throws -> [StoredEntry] {
        let paths = try ifExists { try FileManager.default.subpathsOfDirectory(atPath: folder.path) } ?? []
        return try paths.compactMap { path in
            let url = folder.appending(path: path)
            guard url.lastPathComponent.utf8.count == 64 else { return nil }
            return try ifExists { try StoredEntry(url) } ?? nil
        }
    }

    /// Returns nil if the file isn't an entry.
    private init?(_ url: URL) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int,
            let date = attributes[.modificationDate] as? Date,
            let key = try Self.key(of: FileHandle(forReadingFrom: url), size)
        else { return nil }
        self.key = key
        byteCount = size
        lastUse = date
    }

    private static func key(of file: FileHandle, _ size: Int) throws -> String? {
        guard size >= trailerSize else { return nil }
        try file.seek(toOffset: UInt64(size - trailerSize))
        let trailer = try file.read(upToCount: trailerSize) ?? Data()
        guard trailer.littleEndian(at: 24, 4) == 4, trailer.part(at: 28, 4)?.elementsEqual("SILe".utf8) == true,
            let payload = trailer.littleEndian(at: 8, 8), let key = trailer.littleEndian(at: 16, 4),
            (0...size - trailerSize).contains(payload), key <= size - trailerSize - payload
        else { return nil }
        try file.seek(toOffset: UInt64(payload))
        return String(decoding: try file.read(upToCount: key) ?? Data(), as: UTF8.self)
    }

    /// Returns nil if a file doesn't exist, because there is no cache yet or another process has removed an entry.
    private static func ifExists<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as CocoaError where [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code) {
            return nil
        }
    }
}
