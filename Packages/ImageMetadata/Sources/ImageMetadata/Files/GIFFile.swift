import ImageCore

/// The blocks of a GIF file (GIF89a, sections 15 and following).
enum GIFFile {
    /// Whether there is a comment, a text or XMP. Reads up to a block that is damaged.
    static func hasTexts(_ file: Data) -> Bool {
        guard let screen = file.bigEndian(at: 10, 1) else { return false }
        var offset = 13 + tableLength(screen)
        while let kind = file.bigEndian(at: offset, 1), let label = file.bigEndian(at: offset + 1, 1) {
            switch kind {
            case 0x21:
                if label == 0x01 || label == 0xFE { return true }
                if label == 0xFF, file.part(at: offset + 3, 11) == Data("XMP DataXMP".utf8) { return true }
                offset += 2
            case 0x2C:
                guard let image = file.bigEndian(at: offset + 9, 1) else { return false }
                offset += 11 + tableLength(image)
            default: return false
            }
            while let count = file.bigEndian(at: offset, 1), count > 0 { offset += 1 + count }
            offset += 1
        }
        return false
    }

    /// The bytes of the table of colors that the flags of a screen or an image declare.
    private static func tableLength(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }
}
