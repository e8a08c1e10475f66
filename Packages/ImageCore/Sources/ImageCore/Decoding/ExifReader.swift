/// Reads the orientation and the thumbnail in an Exif block.
///
/// An Exif block is a TIFF file (TIFF 6.0, section 2). In JPEG APP1 segments and some WebP files, it follows `Exif` and
/// two zero bytes (CIPA DC-008, section 4.7.2). Both forms are accepted.
public enum ExifReader {
    /// Returns the orientation tag of the first directory, or nil if it is missing or invalid.
    ///
    /// Never traps. Takes time proportional to the number of directory entries, at most 65,535.
    public static func orientation(in exif: Data) -> ImageOrientation? {
        guard let tiff = TIFFBytes(exif), let directory = tiff.firstDirectory else { return nil }
        return tiff.integer(of: 0x0112, in: directory).flatMap(ImageOrientation.init)
    }

    /// Returns the JPEG thumbnail that the second directory refers to (CIPA DC-008, section 4.5.4).
    ///
    /// Returns nil if there is none, if it exceeds the block, or if it doesn't start with a JPEG signature. Never
    /// traps. Takes time proportional to the number of directory entries, at most 131,070.
    public static func thumbnail(in exif: Data) -> Data? {
        guard let tiff = TIFFBytes(exif), let directory = tiff.secondDirectory else { return nil }
        // The tags JPEGInterchangeFormat and JPEGInterchangeFormatLength.
        guard let offset = tiff.integer(of: 0x0201, in: directory),
            let length = tiff.integer(of: 0x0202, in: directory),
            let thumbnail = tiff.bytes(at: offset, count: length), thumbnail.starts(with: [0xFF, 0xD8])
        else { return nil }
        return thumbnail
    }
}

/// Reads integers of a TIFF file, with bounds checks and in its byte order. Offsets count from the byte-order mark.
private struct TIFFBytes {
    /// The length in bytes of a directory entry: tag, type, count, value.
    private static let entryLength = 12

    private let bytes: Data
    private let isLittleEndian: Bool

    init?(_ exif: Data) {
        bytes = exif.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) ? exif.dropFirst(6) : exif
        if bytes.starts(with: [0x49, 0x49, 42, 0]) {
            isLittleEndian = true
        } else if bytes.starts(with: [0x4D, 0x4D, 0, 42]) {
            isLittleEndian = false
        } else {
            return nil
        }
    }

    /// The offset of the first directory's entries, and their declared number.
    var firstDirectory: (offset: Int, count: Int)? { directory(pointedToAt: 4) }

    /// The offset of the second directory's entries, and their declared number.
    var secondDirectory: (offset: Int, count: Int)? {
        guard let first = firstDirectory else { return nil }
        return directory(pointedToAt: first.offset + first.count * Self.entryLength)
    }

    private func directory(pointedToAt position: Int) -> (offset: Int, count: Int)? {
        guard let offset = uint32(at: position), offset > 0, let count = uint16(at: offset) else { return nil }
        return (offset + 2, count)
    }

    /// Returns the value of the first entry with a tag.
    func integer(of tag: Int, in directory: (offset: Int, count: Int)) -> Int? {
        for index in 0..<directory.count {
            let offset = directory.offset + index * Self.entryLength
            guard let found = uint16(at: offset) else { return nil }
            if found == tag { return integer(ofEntryAt: offset) }
        }
        return nil
    }

    /// Returns the value of an entry with one SHORT (type 3) or one LONG (type 4).
    private func integer(ofEntryAt offset: Int) -> Int? {
        guard let type = uint16(at: offset + 2), uint32(at: offset + 4) == 1 else { return nil }
        return switch type {
        case 3: uint16(at: offset + 8)
        case 4: uint32(at: offset + 8)
        default: nil
        }
    }

    /// Returns a copy of a part, or nil if it exceeds the data.
    func bytes(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        let start = bytes.startIndex + offset
        return Data(bytes[start..<start + count])
    }

    private func uint16(at offset: Int) -> Int? { integer(at: offset, byteCount: 2) }

    private func uint32(at offset: Int) -> Int? { integer(at: offset, byteCount: 4) }

    private func integer(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
        let start = bytes.startIndex + offset
        let slice = bytes[start..<start + byteCount]
        let bigEndian = slice.reduce(0) { $0 << 8 | UInt32($1) }
        let value = isLittleEndian ? bigEndian.byteSwapped >> (32 - 8 * UInt32(byteCount)) : bigEndian
        return Int(exactly: value)
    }
}
