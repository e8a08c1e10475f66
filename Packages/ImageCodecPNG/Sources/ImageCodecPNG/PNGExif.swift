import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the orientation in a complete file, before or after the pixels (PNG 3rd edition, 11.3.4.5).
struct PNGExif {
    /// The length of a chunk without its data: length, type and checksum.
    private static let overhead = 12

    private let bytes: Data

    init(_ file: Data) { bytes = file }

    /// Returns the first orientation in an eXIf chunk. Ignores chunks of more than `limit` bytes or with a wrong
    /// checksum.
    func orientation(limit: Int) -> ImageOrientation? {
        var offset = PNGChunkStream.signature.count
        while bytes.count - offset >= Self.overhead {
            let length = uint32(at: offset)
            if length > bytes.count - offset - Self.overhead { return nil }
            let isRead = uint32(at: offset + 4) == PNGChunkType.exif.rawValue && length <= limit
            if isRead, let found = orientation(ofChunkAt: offset, length: length) { return found }
            offset += Self.overhead + length
        }
        return nil
    }

    private func orientation(ofChunkAt offset: Int, length: Int) -> ImageOrientation? {
        let start = bytes.startIndex + offset + 8
        var checksum = PNGChecksum()
        checksum.add(bytes[start - 4..<start + length].span)
        guard Int(checksum.value) == uint32(at: offset + 8 + length) else { return nil }
        return ExifReader.orientation(in: bytes[start..<start + length])
    }

    private func uint32(at offset: Int) -> Int {
        let start = bytes.startIndex + offset
        return bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
