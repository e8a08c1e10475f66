import Foundation

/// Reads the directories of a TIFF file. All functions check bounds.
struct TIFFReader {
    private let data: Data
    let isLittleEndian: Bool

    init(_ data: Data) {
        self.data = data
        isLittleEndian = data.first == 0x49
    }

    func number(at offset: Int, _ count: Int) -> Int? {
        isLittleEndian ? data.littleEndian(at: offset, count) : data.bigEndian(at: offset, count)
    }

    /// The offsets of the entries of a directory, by tag.
    func directory(at offset: Int) -> [Int: Int] {
        guard offset > 0, let count = number(at: offset, 2) else { return [:] }
        let entries = (0..<count).map { offset + 2 + 12 * $0 }
        let tagged = entries.compactMap { entry in number(at: entry, 2).map { ($0, entry) } }
        return Dictionary(tagged) { first, _ in first }
    }

    /// The bytes of an entry of type ASCII before its end, at most 1,000.
    func ascii(ofEntryAt entry: Int) -> Data? {
        guard number(at: entry + 2, 2) == 2, let count = number(at: entry + 4, 4) else { return nil }
        let start = count <= 4 ? entry + 8 : number(at: entry + 8, 4) ?? 0
        return data.part(start, min(count, 1_000)).map { Data($0.prefix { $0 != 0 }) }
    }
}
