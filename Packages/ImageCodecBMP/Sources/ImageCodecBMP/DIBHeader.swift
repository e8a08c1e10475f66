import ImageCore

/// A color channel of pixels with 16, 24 or 32 bits.
struct DIBChannel: Equatable {
    let shift: Int
    /// The largest value; 0 if there is no such channel.
    let largest: Int

    /// - Parameter mask: The bits of the channel, which are adjacent.
    init?(mask: Int) {
        shift = mask == 0 ? 0 : mask.trailingZeroBitCount
        largest = mask >> shift
        if largest & (largest + 1) != 0 { return nil }
    }

    /// Returns the value of a pixel's channel, scaled to 8 bits.
    func value(_ pixel: Int) -> UInt8 {
        let value = pixel >> shift & largest
        return UInt8(truncatingIfNeeded: largest == 255 ? value : (value * 255 + largest / 2) / largest)
    }
}

/// The header of a device-independent bitmap, as in BMP and ICO: `BITMAPCOREHEADER`, `BITMAPINFOHEADER`, and the later
/// versions up to `BITMAPV5HEADER`.
struct DIBHeader {
    let format: ImageFormat
    /// In ICO, twice as high as the image.
    var size: PixelSize
    let isTopDown: Bool
    let bitCount: Int
    let compression: Compression
    /// Red, green, blue, and alpha if there is one; empty with a palette.
    private(set) var channels: [DIBChannel] = []
    /// 256 colors as red, green, blue and alpha; empty without a palette.
    private(set) var palette: [SIMD4<UInt8>] = []
    /// An embedded ICC profile.
    let profile: Data?
    /// The offset after the palette.
    private(set) var end: Int

    enum Compression: Int {
        case none, runLength8, runLength4, bitFields
        case alphaBitFields = 6
    }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - start: The offset of the header.
    ///   - format: The format of the file.
    ///   - pixels: The offset of the pixels, which bounds the palette; nil if they follow it.
    init(_ data: Data, at start: Int, _ format: ImageFormat, pixels: Int? = nil) throws(ImageDecodingError) {
        guard let length = data.littleEndian(at: start, 4) else { throw .truncated(format) }
        guard length == 12 || (16...1_024).contains(length) else {
            throw .malformed(format, "the header has \(length) bytes")
        }
        guard let header = data.part(at: start, length) else { throw .truncated(format) }
        func field(_ offset: Int, _ byteCount: Int) -> Int { header.littleEndian(at: offset, byteCount) ?? 0 }
        func signed(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: field(offset, 4))) }
        let isCore = length == 12
        let (width, height) = isCore ? (field(4, 2), field(6, 2)) : (signed(4), signed(8))
        guard width > 0, height != 0 else { throw .malformed(format, "the size is \(width)x\(height)") }
        self.format = format
        size = PixelSize(width: width, height: abs(height))
        isTopDown = height < 0
        bitCount = field(isCore ? 10 : 14, 2)
        compression = try Self.compression(isCore ? 0 : field(16, 4), bitCount, headerLength: length, format)
        // The color space is an embedded profile: "MBED" as a big-endian number.
        profile = field(56, 4) == 0x4D42_4544 ? data.part(at: start + field(112, 4), field(116, 4)) : nil
        end = start + length
        if bitCount > 8 { try readChannels(data, at: start, length) }
        try readPalette(data, count: isCore ? 0 : field(32, 4), entryLength: isCore ? 3 : 4, pixels)
    }

    private static func compression(
        _ number: Int, _ bitCount: Int, headerLength: Int, _ format: ImageFormat
    ) throws(ImageDecodingError) -> Compression {
        guard let compression = Compression(rawValue: number), headerLength != 64 || number < 3 else {
            throw .unsupported(format, "the compression \(number)")
        }
        let bitCounts: [Int] =
            switch compression {
            case .none: [1, 2, 4, 8, 16, 24, 32]
            case .runLength8: [8]
            case .runLength4: [4]
            case .bitFields, .alphaBitFields: [16, 32]
            }
        guard bitCounts.contains(bitCount) else {
            throw .malformed(format, "\(bitCount) bits per pixel with the compression \(number)")
        }
        return compression
    }

    /// Sets the channels. Their masks are in the header, or follow its first version.
    private mutating func readChannels(_ data: Data, at start: Int, _ length: Int) throws(ImageDecodingError) {
        var masks = bitCount == 16 ? [0x7C00, 0x3E0, 0x1F] : [0xFF_0000, 0xFF00, 0xFF]
        if compression == .bitFields || compression == .alphaBitFields {
            let count = length >= 56 || compression == .alphaBitFields ? 4 : 3
            // If some are cut off, so are the pixels.
            masks = (0..<count).compactMap { data.littleEndian(at: start + 40 + 4 * $0, 4) }
            end = max(end, start + 40 + 4 * count)
            if masks.count == 4, masks[3] == 0 { masks.removeLast() }
        }
        channels = masks.compactMap(DIBChannel.init)
        guard channels.count == masks.count, masks.allSatisfy({ $0 > 0 && $0 >> bitCount == 0 }) else {
            throw .malformed(format, "the masks of the channels are \(masks)")
        }
    }

    /// Sets the palette, or skips one that pixels without indices have.
    private mutating func readPalette(
        _ data: Data, count: Int, entryLength: Int, _ pixels: Int?
    ) throws(ImageDecodingError) {
        var count = count == 0 && bitCount <= 8 ? 1 << bitCount : count
        if let pixels, pixels >= end { count = min(count, (pixels - end) / entryLength) }
        if bitCount <= 8 {
            palette = [SIMD4<UInt8>](repeating: SIMD4(0, 0, 0, 255), count: 256)
            guard let entries = data.part(at: end, min(count, 256) * entryLength).map(Array.init) else {
                throw .truncated(format)
            }
            for index in 0..<entries.count / entryLength {
                let entry = index * entryLength
                palette[index] = SIMD4(entries[entry + 2], entries[entry + 1], entries[entry], 255)
            }
        }
        end += count * entryLength
    }

    /// The length in bytes of an uncompressed row, which is padded.
    var rowLength: Int { (size.width * bitCount + 31) / 32 * 4 }
}
