import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Walks over the chunks of a file by their lengths, for what the library does not tell or tells too late.
struct PNGChunks {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Bytes of a chunk around its data: length, type, checksum.
    private static let overhead = 12

    private let bytes: Data

    init(_ file: Data) { bytes = file }

    /// True for Apple's variant, whose pixels are stored otherwise behind a critical chunk of its own.
    var isApplesVariant: Bool { first == Array("CgBI".utf8) }

    private var first: [UInt8] { Array(bytes.dropFirst(12).prefix(4)) }

    /// The data of eXIf, before or after the pixels (PNG 3rd edition, 11.3.4.5), unless it has more than `limit` bytes.
    func exif(limit: Int) -> Data? {
        var offset = Self.signature.count
        while bytes.count - offset >= Self.overhead {
            let length = uint32(at: offset)
            if length > bytes.count - offset - Self.overhead { return nil }
            if uint32(at: offset + 4) == 0x6558_4966 {
                let start = bytes.startIndex + offset + 8
                return length <= limit ? bytes[start..<start + length] : nil
            }
            offset += Self.overhead + length
        }
        return nil
    }

    private func uint32(at offset: Int) -> Int {
        let start = bytes.startIndex + offset
        return Int(bytes[start]) << 24 | Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8
            | Int(bytes[start + 3])
    }
}
