import Foundation

extension ExifBlock {
    /// The tags of the artist and the copyright.
    private static let tags = [0x013B, 0x8298]

    /// Returns a block with the artist and the copyright only; nil if there is neither.
    static func copyright(_ tiff: Data) -> Data? {
        let reader = TIFFReader(tiff)
        let directory = reader.directory(at: reader.number(at: 4, 4) ?? 0)
        let texts = tags.compactMap { tag -> (tag: Int, text: Data)? in
            guard let text = directory[tag].flatMap(reader.ascii), !text.isEmpty else { return nil }
            return (tag, text + [0])
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
}
