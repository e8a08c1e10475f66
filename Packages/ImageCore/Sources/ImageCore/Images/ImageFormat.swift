/// A file format. You can add constants for other formats.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The usual short name in lowercase, for example "jpeg".
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// JPEG File Interchange Format and Exif files (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// Portable Network Graphics (W3C PNG, ISO/IEC 15948).
    public static let png = ImageFormat(rawValue: "png")
    /// WebP (RFC 9649).
    public static let webP = ImageFormat(rawValue: "webp")
    /// Graphics Interchange Format, versions 87a and 89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// AV1 Image File Format (AOMedia AVIF 1.1), still and animated.
    public static let avif = ImageFormat(rawValue: "avif")
    /// High Efficiency Image File Format with HEVC (ISO/IEC 23008-12), which cameras write as HEIC.
    public static let heic = ImageFormat(rawValue: "heic")
    /// JPEG XL (ISO/IEC 18181), a code stream or in a container.
    public static let jpegXL = ImageFormat(rawValue: "jxl")
    /// Windows bitmaps.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Icons and cursors of Windows.
    public static let ico = ImageFormat(rawValue: "ico")
    /// Tag Image File Format (TIFF 6.0) and BigTIFF.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// Scalable Vector Graphics (W3C SVG).
    public static let svg = ImageFormat(rawValue: "svg")
}

extension ImageFormat {
    /// The usual extension of files, without a dot: "jpg" for JPEG, otherwise the short name.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The media type (RFC 6838) of the formats of this package, for example "image/jpeg". For others, "image/" and the
    /// short name.
    public var mediaType: String {
        switch self {
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        default: "image/\(rawValue)"
        }
    }

    /// Returns the format of this package with a file extension. Nil for others.
    /// - Parameter fileExtension: Without a dot, in any case, for example "jpg" or "HEIF".
    public init?(fileExtension: String) { self.init(name: fileExtension) }

    /// Returns the format of this package with a media type (RFC 9110, 8.3.1). Nil for others.
    /// - Parameter mediaType: In any case, with or without parameters, for example "image/webp".
    public init?(mediaType: String) {
        let type = mediaType.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type.hasPrefix("image/") else { return nil }
        self.init(name: type.dropFirst(6).replacing("-sequence", with: ""))
    }

    private init?(name: some StringProtocol) {
        let name = name.lowercased()
        let format = ImageFormat(rawValue: Self.synonyms[name] ?? name)
        guard Self.named.contains(format) else { return nil }
        self = format
    }

    private static let named: Set<ImageFormat> = [
        .jpeg, .png, .webP, .gif, .avif, .heic, .jpegXL, .bmp, .ico, .tiff, .svg,
    ]

    /// Other extensions and media types.
    private static let synonyms = [
        "jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "heif": "heic", "hif": "heic", "apng": "png", "dib": "bmp",
        "x-ms-bmp": "bmp", "cur": "ico", "x-icon": "ico", "vnd.microsoft.icon": "ico", "tif": "tiff", "svg+xml": "svg",
    ]
}

/// Detects the format of a file from its first bytes, also if no decoder for it is available.
public enum FileSignature {
    /// The number of bytes in which a format is looked for, enough for 28 compatible brands of HEIF and AVIF.
    public static let byteCount = 128

    /// Returns the format, or nil for other files. Reads up to 128 bytes, of an XML document 1,000, and never traps.
    public static func format(of prefix: Data) -> ImageFormat? {
        let bytes = Array(prefix.prefix(byteCount))
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return .gif }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return .webP }
        if bytes.starts(with: [0xFF, 0x0A]) || bytes.starts(with: jxlContainer) { return .jpegXL }
        return FileTypeBox(bytes)?.format ?? otherFormat(bytes) ?? (isSVG(prefix) ? .svg : nil)
    }

    /// Returns the format of files without a long signature, of which more is checked.
    private static func otherFormat(_ bytes: [UInt8]) -> ImageFormat? {
        if tiff.contains(where: bytes.starts) { return .tiff }
        if bytes.starts(with: "BM".utf8), let length = bytes.littleEndian(at: 14, 4) {
            return dibHeaderLengths.contains(length) ? .bmp : nil
        }
        if bytes.starts(with: [0, 0, 1, 0]) || bytes.starts(with: [0, 0, 2, 0]) {
            // The first image of an icon follows the directory of six bytes and its entries of sixteen.
            guard let count = bytes.littleEndian(at: 4, 2), let length = bytes.littleEndian(at: 14, 4),
                let offset = bytes.littleEndian(at: 18, 4)
            else { return nil }
            return count > 0 && length > 0 && offset >= 6 + 16 * count ? .ico : nil
        }
        return nil
    }

    /// The byte orders and versions of TIFF and BigTIFF.
    private static let tiff: [[UInt8]] = [
        [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0], [0x4D, 0x4D, 0, 43],
    ]

    /// The lengths of the headers of Windows bitmaps, which tell their versions.
    private static let dibHeaderLengths = [12, 16, 40, 52, 56, 64, 108, 124]

    /// Whether an XML document names the element `svg` soon. Before it, there can be a byte order mark and white space.
    private static func isSVG(_ prefix: Data) -> Bool {
        let text = Array(prefix.prefix(1_000).drop { $0 >= 0x80 || $0 <= 0x20 })
        guard ["<?xml", "<!--", "<!DOCTYPE svg", "<svg"].contains(where: { text.starts(with: $0.utf8) }),
            let name = text.firstRange(of: Array("<svg".utf8))
        else { return false }
        // The name ends here.
        return text[name.upperBound...].first.map { " \t\r\n/>".utf8.contains($0) } ?? true
    }

    /// The first box of a JPEG XL file (ISO/IEC 18181-2, 9.1). Without a container, a code stream starts with FF 0A.
    private static let jxlContainer: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
}

/// The first box of a file in the ISO base media format (ISO/IEC 14496-12, 4.3): a major brand, a version and
/// compatible brands.
private struct FileTypeBox {
    /// The available brands, major brand first.
    private let brands: [[UInt8]]

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        // 1 means a length of 64 bits, and 0 the rest of the file. Writers don't use them for this box.
        guard let length = bytes.bigEndian(at: 0, 4), length >= 16 else { return nil }
        let compatible = stride(from: 16, to: min(length, bytes.count) - 3, by: 4).map { Array(bytes[$0..<$0 + 4]) }
        brands = [Array(bytes[8..<12])] + compatible
    }

    /// The format of the first brand that determines the codec.
    ///
    /// `mif1` and `msf1` only declare images. Files without a more specific brand are treated as HEIC, which cameras
    /// write.
    var format: ImageFormat? {
        for brand in brands {
            if Self.avif.contains(where: { brand.elementsEqual($0.utf8) }) { return .avif }
            if Self.heic.contains(where: { brand.elementsEqual($0.utf8) }) { return .heic }
        }
        return brands.contains { $0.elementsEqual("mif1".utf8) || $0.elementsEqual("msf1".utf8) } ? .heic : nil
    }

    /// The brands of still images and sequences (AVIF 1.1, section 6).
    private static let avif = ["avif", "avis"]
    /// The brands of main, extended-range and layered profiles, still images and sequences (ISO/IEC 23008-12, B.4).
    private static let heic = ["heic", "heix", "heim", "heis", "hevc", "hevx"]
}
