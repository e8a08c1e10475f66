import CImageCodecPNG
import ImageCore

/// The contents of the chunks before the pixels.
struct PNGPreamble {
    var header: PNGHeader
    /// The RGB colors, three bytes each. Empty if there is no PLTE chunk.
    private(set) var palette: [UInt8] = []
    /// The data of the tRNS chunk. Empty if there is none.
    private(set) var transparency: [UInt8] = []
    private var profile: Data?
    private var colors = PNGColors()
    private var orientation: ImageOrientation?
    /// Whether the file declares an animation, and whether its first frame is the default image.
    private(set) var isAnimation = false
    private(set) var startsAnimation = false
    private let limits: DecodingLimits

    init(_ header: PNGHeader, limits: DecodingLimits) {
        self.header = header
        self.limits = limits
    }

    var hasAlpha: Bool { header.color.hasAlpha || !transparency.isEmpty }

    /// Reads a chunk before the pixels. Repeated chunks are ignored, except for IHDR and PLTE, which throw.
    mutating func read(_ chunk: PNGChunk) throws(ImageDecodingError) {
        switch chunk.type {
        case .header: throw .malformed(.png, "two headers")
        case .palette: try readPalette(chunk.data)
        case .transparency: readTransparency(chunk.data)
        case .profile:
            if profile == nil { profile = PNGProfile.inflated(chunk.data, isGray: header.color.isGray, limits: limits) }
        case .exif: orientation = orientation ?? ExifReader.orientation(in: Data(chunk.data))
        case .animation: isAnimation = true
        case .frame: startsAnimation = true
        default: colors.read(chunk)
        }
    }

    /// Checks that the preamble is complete when the pixels start.
    func check() throws(ImageDecodingError) {
        if header.color == .indexed, palette.isEmpty { throw .malformed(.png, "the palette is missing") }
    }

    /// Reads the palette of an indexed image. In other images it is a suggestion and ignored.
    private mutating func readPalette(_ data: [UInt8]) throws(ImageDecodingError) {
        guard palette.isEmpty else { throw .malformed(.png, "two palettes") }
        guard header.color == .indexed else { return }
        guard data.count.isMultiple(of: 3), !data.isEmpty else {
            throw .malformed(.png, "the palette has \(data.count) bytes")
        }
        palette = Array(data.prefix(3 << header.depth))
    }

    private mutating func readTransparency(_ data: [UInt8]) {
        guard transparency.isEmpty else { return }
        let isValid =
            switch header.color {
            case .gray: data.count == 2
            case .rgb: data.count == 6
            case .indexed: !data.isEmpty && data.count <= palette.count / 3
            case .grayAlpha, .rgba: false
            }
        if isValid { transparency = data }
    }
}

extension PNGPreamble {
    /// Returns the header of the image.
    /// - Parameter hasTransparentCanvas: Whether an animation shows pixels that no frame covers.
    func imageHeader(hasTransparentCanvas: Bool = false) -> ImageHeader {
        let color = colors.color(profile: profile, isGray: header.color.isGray)
        let hasAlpha = hasAlpha || hasTransparentCanvas
        // A gray profile only applies to gray pixels.
        let profileLayout: PixelLayout = !header.color.isGray ? .rgba8 : hasAlpha ? .grayAlpha8 : .gray8
        return ImageHeader(
            format: .png, storedSize: header.size, orientation: orientation ?? .up, hasAlpha: hasAlpha,
            color: color, nativeLayout: color.isHDR ? .rgba16 : color.profile == nil ? .rgba8 : profileLayout)
    }

    /// The format for the C decoder.
    var format: ilp_format {
        var format = ilp_format()
        format.width = UInt32(header.size.width)
        format.height = UInt32(header.size.height)
        format.depth = UInt8(header.depth)
        format.color_type = UInt8(header.color.rawValue)
        format.is_interlaced = header.isInterlaced
        if header.color == .indexed {
            setPalette(of: &format)
        } else if !transparency.isEmpty {
            format.has_key = true
            let key = stride(from: 0, to: transparency.count, by: 2).compactMap {
                transparency.bigEndian(at: $0, 2, as: UInt16.self)
            }
            format.key = (key[0], key.count > 1 ? key[1] : 0, key.count > 2 ? key[2] : 0)
        }
        return format
    }

    private func setPalette(of format: inout ilp_format) {
        unsafe withUnsafeMutableBytes(of: &format.palette) { entries in
            for index in 0..<256 {
                let color = index * 3 < palette.count ? palette[index * 3..<index * 3 + 3] : [0, 0, 0]
                let alpha = index < transparency.count ? transparency[index] : 255
                for (channel, value) in (Array(color) + [alpha]).enumerated() {
                    unsafe entries[index * 4 + channel] = value
                }
            }
        }
    }

    /// Returns the preamble for the pixels of a frame of an animation.
    func resized(to area: PixelArea) -> PNGPreamble {
        var preamble = self
        preamble.header.size = PixelSize(width: area.width, height: area.height)
        return preamble
    }

    /// Returns the size in bytes of an interlaced image in `layout`, otherwise 0. Returns `Int.max` on overflow.
    func heldByteCount(layout: PixelLayout) -> Int { header.isInterlaced ? imageBytes(layout) : 0 }

    /// Returns the size of the whole image in bytes. Returns `Int.max` on overflow.
    func imageBytes(_ layout: PixelLayout) -> Int { header.size.byteCount(layout) }

    /// Returns the size in bytes of the rows in progress: two stored rows and one in the layout.
    func rowBytes(_ layout: PixelLayout) -> Int {
        2 * header.storedRowBytes + header.size.width * layout.bytesPerPixel
    }
}

/// The contents of the IHDR chunk (PNG 3rd edition, 11.2.1).
struct PNGHeader {
    /// The size of the image, or of a frame that is decoded.
    var size: PixelSize
    let depth: Int
    let color: ColorType
    let isInterlaced: Bool

    enum ColorType: Int {
        case gray = 0
        case rgb = 2
        case indexed = 3
        case grayAlpha = 4
        case rgba = 6

        var channels: Int {
            switch self {
            case .gray, .indexed: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        var depths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .indexed: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }

        var isGray: Bool { self == .gray || self == .grayAlpha }
        var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    }

    /// - Parameter data: The data of the chunk.
    init(_ data: [UInt8]) throws(ImageDecodingError) {
        guard data.count == 13 else { throw .malformed(.png, "the header has \(data.count) bytes") }
        size = PixelSize(width: data.uint32(at: 0), height: data.uint32(at: 4))
        let sides = 1...Int(Int32.max)
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw .malformed(.png, "the image size is \(size)")
        }
        depth = Int(data[8])
        guard let color = ColorType(rawValue: Int(data[9])), color.depths.contains(depth) else {
            throw .malformed(.png, "color type \(data[9]) with \(data[8]) bits")
        }
        self.color = color
        guard data[10] == 0, data[11] == 0 else { throw .malformed(.png, "unknown compression or filter method") }
        guard data[12] <= 1 else { throw .malformed(.png, "unknown interlace method \(data[12])") }
        isInterlaced = data[12] == 1
    }

    /// The length in bytes of a stored row with its filter byte, up to 2^34.
    var storedRowBytes: Int { (size.width * depth * color.channels + 7) / 8 + 1 }
}

extension [UInt8] {
    /// Returns the number of four bytes at an offset, or 0 beyond the end.
    func uint32(at offset: Int) -> Int { bigEndian(at: offset, 4) ?? 0 }
}

/// Reads embedded ICC profiles.
enum PNGProfile {
    /// Returns the profile in the data of an iCCP chunk (PNG 3rd edition, 11.3.2.3). Returns nil if it is damaged,
    /// larger than the limit or for another color model.
    static func inflated(_ chunk: [UInt8], isGray: Bool, limits: DecodingLimits) -> Data? {
        guard let name = chunk.firstIndex(of: 0), (1...79).contains(name), chunk.count > name + 2, chunk[name + 1] == 0
        else { return nil }
        let stream = chunk[(name + 2)...]
        guard let start = inflated(stream, count: 4) else { return nil }
        let length = start.uint32(at: 0)
        guard length >= headerBytes, length <= limits.metadataByteLimit, let profile = inflated(stream, count: length)
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

extension PNGChunks {
    /// Returns the first orientation in an eXIf chunk, before or after the pixels (PNG 3rd edition, 11.3.4.5). Ignores
    /// chunks of more than `limit` bytes or with a wrong checksum.
    func orientation(limit: Int) -> ImageOrientation? {
        for chunk in self where chunk.type == .exif && chunk.content.count <= limit && isIntact(chunk) {
            if let found = ExifReader.orientation(
                in: file.dropFirst(chunk.content.lowerBound).prefix(chunk.content.count))
            {
                return found
            }
        }
        return nil
    }
}

/// The checksum of a chunk (PNG 3rd edition, 5.5), computed from pieces.
struct PNGChecksum: Equatable {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: Span<UInt8>) {
        value = unsafe bytes.withUnsafeBufferPointer { unsafe ilp_crc32(value, $0.baseAddress, $0.count) }
    }
}
