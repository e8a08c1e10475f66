import Foundation
import ImageCore

/// An Exif block without prefix.
struct ExifBlock {
    static let prefix = Data("Exif".utf8) + [0, 0]

    /// Removes the prefix that JPEG and some WebP files have.
    static func withoutPrefix(_ data: Data) -> Data { Data(data.starts(with: prefix) ? data.dropFirst(6) : data) }

    /// Skips the offset of the block and the bytes before it (ISO/IEC 23008-12, A.2.1).
    static func withoutOffset(_ item: Data) -> Data? {
        guard let offset = item.bigEndian(at: 0, 4), offset < item.count - 4 else { return nil }
        return withoutPrefix(item.dropFirst(4 + offset))
    }

    static func withPrefix(_ tiff: Data) -> Data { prefix + tiff }

    /// Returns a block that has only an orientation.
    static func orientation(_ orientation: ImageOrientation) -> Data {
        Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0])
            + [UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
    }

    /// Returns the block of an image whose pixels are upright: its orientation is 1, and it refers to no thumbnail,
    /// which would be turned.
    static func upright(_ tiff: Data) -> Data {
        let reader = TIFFReader(tiff)
        guard let directory = reader.number(at: 4, 4), let count = reader.number(at: directory, 2) else { return tiff }
        var bytes = [UInt8](tiff)
        for entry in (0..<count).map({ directory + 2 + 12 * $0 }) where reader.number(at: entry, 2) == 0x0112 {
            guard reader.number(at: entry + 8, 2) != nil else { break }
            bytes[entry + 8] = reader.isLittleEndian ? 1 : 0
            bytes[entry + 9] = reader.isLittleEndian ? 0 : 1
        }
        let next = directory + 2 + 12 * count
        if reader.number(at: next, 4) != nil { for index in next..<next + 4 { bytes[index] = 0 } }
        return Data(bytes)
    }
}
