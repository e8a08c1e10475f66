import Foundation

/// An Exif block without prefix. All functions check bounds.
struct ExifBlock {
    private static let prefix = Data("Exif".utf8) + [0, 0]
    private enum Tag {
        static let orientation = 0x0112
        static let artist = 0x013B
        static let copyright = 0x8298
    }

    private let data: Data
    private var isLittleEndian: Bool { data.first == 0x49 }

    private init(_ data: Data) { self.data = data }

    /// Removes the prefix that JPEG and some WebP files have.
    static func withoutPrefix(_ data: Data) -> Data { Data(data.starts(with: prefix) ? data.dropFirst(6) : data) }

    static func withPrefix(_ tiff: Data) -> Data { prefix + tiff }

    /// Returns a block with the artist and the copyright only; nil if there is neither.
    static func copyright(_ tiff: Data) -> Data? {
        let block = ExifBlock(tiff)
        let texts = [Tag.artist, Tag.copyright].compactMap { tag in
            block.text(tag).map { (tag: tag, text: $0 + Data([0])) }
        }
        guard !texts.isEmpty else { return nil }
        var result = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8])
        var contents = Data()
        let start = 8 + 2 + 12 * texts.count + 4
        result.append(bigEndian: UInt16(texts.count))
        for (tag, text) in texts {
            result.append(bigEndian: UInt16(tag))
            result.append(bigEndian: UInt16(2))
            result.append(bigEndian: UInt32(text.count))
            if text.count > 4 {
                result.append(bigEndian: UInt32(start + contents.count))
                contents += text
            } else {
                result += text + Data(count: 4 - text.count)
            }
        }
        return result + Data(count: 4) + contents
    }

    /// Returns the block of an image whose pixels are upright: its orientation is 1, and it refers to no thumbnail, which
    /// would be turned.
    static func upright(_ tiff: Data) -> Data {
        let block = ExifBlock(tiff)
        var bytes = [UInt8](tiff)
        if let entry = block.entry(Tag.orientation), block.number(at: entry + 8, 2) != nil {
            bytes[entry + 8] = block.isLittleEndian ? 1 : 0
            bytes[entry + 9] = block.isLittleEndian ? 0 : 1
        }
        if let end = block.endOfDirectory, block.number(at: end, 4) != nil {
            for index in end..<end + 4 { bytes[index] = 0 }
        }
        return Data(bytes)
    }

    private func number(at offset: Int, _ count: Int) -> Int? {
        isLittleEndian ? data.littleEndian(at: offset, count) : data.bigEndian(at: offset, count)
    }

    private var entries: [Int] {
        guard let directory = number(at: 4, 4), let count = number(at: directory, 2) else { return [] }
        return (0..<count).map { directory + 2 + 12 * $0 }
    }

    private var endOfDirectory: Int? {
        guard let directory = number(at: 4, 4) else { return nil }
        return number(at: directory, 2).map { directory + 2 + 12 * $0 }
    }

    /// Returns the offset of the entry with a tag.
    private func entry(_ tag: Int) -> Int? { entries.first { number(at: $0, 2) == tag } }

    /// Returns the text of an entry of type ASCII, without its end.
    private func text(_ tag: Int) -> Data? {
        guard let entry = entry(tag), number(at: entry + 2, 2) == 2, let count = number(at: entry + 4, 4) else {
            return nil
        }
        let start = count <= 4 ? entry + 8 : number(at: entry + 8, 4) ?? 0
        guard let text = data.part(start, min(count, 1_000))?.prefix(while: { $0 != 0 }), !text.isEmpty else {
            return nil
        }
        return Data(text)
    }
}

extension Data {
    /// Appends the bytes of a number, the most significant one first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends the bytes of a number, the least significant one first.
    mutating func append(littleEndian number: some FixedWidthInteger) { append(bigEndian: number.byteSwapped) }

    /// Returns a number of up to 4 bytes at an offset, the most significant byte first. Nil beyond the end.
    func bigEndian(at offset: Int, _ count: Int) -> Int? { part(offset, count)?.reduce(0) { $0 << 8 | Int($1) } }

    /// The same, the least significant byte first.
    func littleEndian(at offset: Int, _ count: Int) -> Int? {
        part(offset, count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the bytes from an offset, or nil beyond the end.
    func part(_ offset: Int, _ count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= self.count - count else { return nil }
        return self[startIndex + offset..<startIndex + offset + count]
    }
}
