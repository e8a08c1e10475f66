#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads what a decoder needs of an Exif block: the one value that pixels depend on, and the small image in it.
///
/// An Exif block is a TIFF file (TIFF 6.0, section 2), which JPEG's APP1 segments and some WebP files prefix with
/// `Exif` and two zero bytes (CIPA DC-008, 4.7.2). Both shapes are read.
public enum ExifReader {
    /// The orientation tag of the first directory, or nil when there is none, or none that makes sense.
    ///
    /// Never traps, whatever the bytes; takes time proportional to the number of directory entries, at most 65,535.
    public static func orientation(in exif: Data) -> ImageOrientation? {
        guard let tiff = TIFFBytes(exif), var entry = tiff.firstDirectory else { return nil }
        for _ in 0..<entry.count {
            guard let tag = tiff.uint16(at: entry.offset) else { return nil }
            if tag == orientationTag { return tiff.orientation(ofEntryAt: entry.offset) }
            entry.offset += TIFFBytes.entryLength
        }
        return nil
    }

    /// The small JPEG file that the second directory points to (CIPA DC-008, 4.5.4), or nil when there is none, when it does
    /// not lie within the block, or when it does not start as a JPEG file does.
    ///
    /// Never traps, whatever the bytes; takes time proportional to the number of directory entries, at most 131,070.
    public static func thumbnail(in exif: Data) -> Data? {
        guard let tiff = TIFFBytes(exif), let directory = tiff.secondDirectory else { return nil }
        guard let offset = tiff.integer(of: thumbnailOffsetTag, in: directory),
            let length = tiff.integer(of: thumbnailLengthTag, in: directory),
            let thumbnail = tiff.bytes(at: offset, count: length), thumbnail.starts(with: [0xFF, 0xD8])
        else { return nil }
        return thumbnail
    }

    private static let orientationTag = 0x0112
    /// JPEGInterchangeFormat and JPEGInterchangeFormatLength.
    private static let thumbnailOffsetTag = 0x0201
    private static let thumbnailLengthTag = 0x0202
}

/// Bounds-checked integers of a TIFF file in its own byte order. Offsets count from the byte-order mark.
private struct TIFFBytes {
    /// Bytes of one directory entry: tag, type, count, value.
    static let entryLength = 12

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

    /// Where the entries of the first directory start, and how many there are said to be.
    var firstDirectory: (offset: Int, count: Int)? { directory(pointedToAt: 4) }

    /// The same of the directory behind the first.
    var secondDirectory: (offset: Int, count: Int)? {
        guard let first = firstDirectory else { return nil }
        return directory(pointedToAt: first.offset + first.count * Self.entryLength)
    }

    private func directory(pointedToAt position: Int) -> (offset: Int, count: Int)? {
        guard let offset = uint32(at: position), offset > 0, let count = uint16(at: offset) else { return nil }
        return (offset + 2, count)
    }

    /// The value of the first entry with this tag.
    func integer(of tag: Int, in directory: (offset: Int, count: Int)) -> Int? {
        for index in 0..<directory.count {
            let offset = directory.offset + index * Self.entryLength
            guard let found = uint16(at: offset) else { return nil }
            if found == tag { return integer(ofEntryAt: offset) }
        }
        return nil
    }

    func orientation(ofEntryAt offset: Int) -> ImageOrientation? {
        integer(ofEntryAt: offset).flatMap(ImageOrientation.init(rawValue:))
    }

    /// The value of an entry that holds one SHORT (type 3) or one LONG (type 4).
    private func integer(ofEntryAt offset: Int) -> Int? {
        guard let type = uint16(at: offset + 2), uint32(at: offset + 4) == 1 else { return nil }
        return switch type {
        case 3: uint16(at: offset + 8)
        case 4: uint32(at: offset + 8)
        default: nil
        }
    }

    /// A copy of a part, if all of it is there.
    func bytes(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        let start = bytes.startIndex + offset
        return Data(bytes[start..<start + count])
    }

    func uint16(at offset: Int) -> Int? { integer(at: offset, byteCount: 2) }

    func uint32(at offset: Int) -> Int? { integer(at: offset, byteCount: 4) }

    private func integer(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
        let start = bytes.startIndex + offset
        let slice = bytes[start..<start + byteCount]
        let bigEndian = slice.reduce(0) { $0 << 8 | UInt32($1) }
        let value = isLittleEndian ? bigEndian.byteSwapped >> (32 - 8 * UInt32(byteCount)) : bigEndian
        return Int(exactly: value)
    }
}
