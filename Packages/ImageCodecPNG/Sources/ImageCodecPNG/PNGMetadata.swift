import CImageCodecPNG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads embedded ICC profiles.
enum PNGProfile {
    /// Returns the profile in the data of an iCCP chunk (PNG 3rd edition, 11.3.2.3). Returns nil if it is damaged,
    /// larger than the limit or for another color model.
    static func inflated(_ chunk: [UInt8], isGray: Bool, limits: DecodingLimits) -> Data? {
        guard let name = chunk.firstIndex(of: 0), (1...79).contains(name), chunk.count > name + 2, chunk[name + 1] == 0
        else { return nil }
        let stream = chunk[(name + 2)...]
        guard let start = inflated(stream, count: 4) else { return nil }
        let length = start.bigEndian32(at: 0)
        guard length >= headerBytes, length <= limits.metadataBytes, let profile = inflated(stream, count: length)
        else { return nil }
        let space = Array(profile[16..<20]), signature = Array(profile[36..<40])
        guard signature == Array("acsp".utf8), space == Array((isGray ? "GRAY" : "RGB ").utf8) else { return nil }
        return Data(profile)
    }

    /// The length of the header and the number of tags (ICC.1, 7.1).
    private static let headerBytes = 132

    /// Returns the first `count` inflated bytes of the stream. Returns nil if there are fewer.
    private static func inflated(_ stream: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        var made = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let isWhole = unsafe stream.span.withUnsafeBufferPointer { source in
                unsafe ilp_inflate(source.baseAddress, source.count, buffer.baseAddress, count, &made)
            }
            initialized = isWhole ? made : 0
        }
        return bytes.count == count ? bytes : nil
    }
}

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

/// The checksum of a chunk (PNG 3rd edition, 5.5), computed from pieces.
struct PNGChecksum: Equatable {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: Span<UInt8>) {
        value = unsafe bytes.withUnsafeBufferPointer { unsafe ilp_crc32(value, $0.baseAddress, $0.count) }
    }
}
