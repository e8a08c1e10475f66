import ArgumentParser
import Foundation
import ImageCore

/// A kind of metadata that `--keep` names.
enum MetadataKind: String, CaseIterable, Sendable {
    case exif, icc, xmp
}

/// The value of `--keep`: kinds separated by commas, `all` or `none`.
struct MetadataKinds: ExpressibleByArgument, Sendable {
    var kinds: Set<MetadataKind> = []

    init() {}

    init?(argument: String) {
        switch argument.lowercased() {
        case "all": kinds = Set(MetadataKind.allCases)
        case "none": kinds = []
        default:
            let names = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
            let parsed = names.map { MetadataKind(rawValue: String($0)) }
            guard !parsed.contains(nil) else { return nil }
            kinds = Set(parsed.compactMap(\.self))
        }
    }

    static var allValueStrings: [String] { MetadataKind.allCases.map(\.rawValue) + ["all", "none"] }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    var defaultValueDescription: String {
        kinds.isEmpty ? "none" : kinds.map(\.rawValue).sorted().joined(separator: ",")
    }
}

/// The metadata that can be copied from one file to another.
struct ImageMetadata: Equatable, Sendable {
    /// A TIFF file (CIPA DC-008, section 4.5), without the prefix `Exif` and two zeros.
    var exif: Data?
    /// An XMP packet (ISO 16684-1).
    var xmp: Data?
    /// An ICC profile.
    var icc: Data?

    var kinds: Set<MetadataKind> {
        var kinds: Set<MetadataKind> = []
        if exif != nil { kinds.insert(.exif) }
        if icc != nil { kinds.insert(.icc) }
        if xmp != nil { kinds.insert(.xmp) }
        return kinds
    }

    func keeping(_ kept: Set<MetadataKind>) -> ImageMetadata {
        ImageMetadata(
            exif: kept.contains(.exif) ? exif : nil, xmp: kept.contains(.xmp) ? xmp : nil,
            icc: kept.contains(.icc) ? icc : nil)
    }
}

extension ImageMetadata {
    /// Reads the metadata of a file. Parts that are damaged or compressed with Brotli count as missing.
    init(of file: Data, _ header: ImageHeader) {
        switch header.format {
        case .jpeg: self = JPEGFile(file)?.metadata ?? ImageMetadata()
        case .png: self = PNGFile(file)?.metadata ?? ImageMetadata()
        case .webp: self = WebPFile(file)?.metadata ?? ImageMetadata()
        case .avif, .heic, .jxl: self = BoxMetadata.read(file, header.format)
        default: break
        }
        icc = header.colorProfile
    }

    /// The kinds that the tool can write to a format. The profiles of the other formats are written by their encoders.
    static func writable(to format: ImageFormat) -> Set<MetadataKind> {
        switch format {
        case .jpeg, .png, .webp, .jxl: [.exif, .icc, .xmp]
        case .avif, .heic: [.icc]
        default: []
        }
    }

    /// Returns a file of an encoder with the metadata added, as far as the format allows.
    func added(to file: Data, format: ImageFormat) -> Data {
        if kinds.isEmpty { return file }
        switch format {
        case .jpeg: return JPEGFile(file)?.adding(self).data ?? file
        case .png: return PNGFile(file)?.adding(self).data ?? file
        case .webp: return WebPFile(file)?.adding(self).data ?? file
        case .jxl: return BoxMetadata.adding(self, toJXL: file)
        default: return file
        }
    }
}

/// An Exif block without prefix.
struct ExifBlock {
    private static let prefix = Data("Exif".utf8) + [0, 0]

    /// Removes the prefix that JPEG and some WebP files have.
    static func withoutPrefix(_ data: Data) -> Data { Data(data.starts(with: prefix) ? data.dropFirst(6) : data) }

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

extension Data {
    /// Appends the bytes of a number, the most significant one first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends the bytes of a number, the least significant one first.
    mutating func append(littleEndian number: some FixedWidthInteger) { append(bigEndian: number.byteSwapped) }

    /// Returns a number of up to 4 bytes at an offset from the start, the most significant byte first. Nil beyond the
    /// end.
    func bigEndian(at offset: Int, _ count: Int) -> Int? {
        part(offset, count)?.reduce(0) { $0 << 8 | Int($1) }
    }

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
