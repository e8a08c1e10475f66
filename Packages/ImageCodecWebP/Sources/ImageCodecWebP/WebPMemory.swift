import ImageCore

extension WebPImage {
    /// Checks the memory for decoding against the limits: `outputBytes` and the worst case of libwebp.
    ///
    /// A lossless image needs 4 bytes per pixel, its small images and its tables. The alpha of a lossy image needs 1
    /// byte per pixel, and as much as a lossless image if it is losslessly encoded.
    /// Throws `.truncated` or `.malformed` for the header of a lossless image.
    func checkMemory(
        outputBytes: Int, at range: Range<Int>, of data: Data, limits: DecodingLimits
    ) throws(ImageDecodingError) {
        let plain = size.area.times(isLossless ? 4 : hasAlpha ? 5 : 0).plus(outputBytes)
        try limits.check(.decodedBytes, plain)
        guard isLossless || hasAlpha, let stream = LosslessStream(in: range, of: data) else { return }
        let estimate = try VP8LMemoryEstimate(of: stream.data, hasHeader: stream.hasHeader, size: size)
        try limits.check(.decodedBytes, plain + estimate.byteCount)
    }
}

/// The location of the losslessly encoded part of an image: the image itself, or the alpha of a lossy image.
private struct LosslessStream {
    let data: Data
    /// Whether the stream starts with a header.
    let hasHeader: Bool

    /// Searches the chunks up to the image, as libwebp does. The last ALPH chunk before the image applies.
    init?(in range: Range<Int>, of file: Data) {
        let bytes = file.dropFirst(range.lowerBound).prefix(range.count)
        var offset = bytes.chunkName(at: 0) == "RIFF" ? 12 : 0
        var alpha: Data?
        while let size = bytes.littleEndian(at: offset + 4, 4) {
            let payload = bytes.dropFirst(offset + 8).prefix(size)
            switch bytes.chunkName(at: offset) {
            case "VP8L":
                data = payload
                hasHeader = true
                return
            case "VP8 ":
                guard let alpha else { return nil }
                data = alpha
                hasHeader = false
                return
            case "ALPH":
                // The low bits of the first byte are the compression method: 1 is lossless (RFC 9649, 2.7.1.2).
                alpha = payload.first.map { $0 & 3 == 1 } == true ? payload.dropFirst() : nil
            default: break
            }
            offset += 8 + size + size % 2
        }
        return nil
    }
}

/// Estimates the memory that libwebp needs for a lossless image in addition to its pixels.
///
/// An image may have up to 65,536 groups of prefix codes, listed in a separate small image (RFC 9649, 3.7.2.2). libwebp
/// allocates tables for each group. The estimate reads the transforms and that image as a stream of symbols to find the
/// largest group number. The time is linear in their bits and pixels. The memory is that of one group of codes.
///
/// The number of pixels would be a bound without reading anything: at most one group for 4 × 4 pixels, of 12 kB each. But
/// it would refuse every lossless image above half a megapixel with the default limit, while real ones have some dozens
/// of groups.
struct VP8LMemoryEstimate {
    /// The memory in bytes of the small images, including that of the groups, and of the tables of all groups.
    private(set) var byteCount = 0

    private var reader: VP8LBitReader
    private var width: Int
    private let height: Int

    /// Reads the payload of a VP8L chunk, which starts with a header, or of an ALPH chunk after its first byte. Throws
    /// `.truncated` or `.malformed` if libwebp fails before it allocates the tables.
    init(of stream: Data, hasHeader: Bool, size: PixelSize) throws(ImageDecodingError) {
        reader = VP8LBitReader(stream)
        width = size.width
        height = size.height
        if hasHeader {
            _ = try reader.read(32)
            _ = try reader.read(8)
        }
        try readTransforms()
        let cacheBits = try readCacheBits()
        var groupCount = 1
        if try reader.readFlag() {
            let size = try readReducedSize()
            groupCount = try largestGroup(in: size) + 1
        }
        byteCount += groupCount * Self.groupBytes(cacheBits: cacheBits)
    }

    /// Returns the memory of a group in libwebp 0.5 to 1.6, in bytes: tables with 4 bytes per entry for the worst
    /// codes, a descriptor with 64 packed entries, and a number for renumbered groups.
    private static func groupBytes(cacheBits: Int) -> Int {
        4 * (3 * 630 + 410 + greenEntries[cacheBits]) + 568 + 4
    }

    /// The number of entries for green, lengths and the color cache, by the bits of the cache. The first lookup has 8
    /// bits.
    private static let greenEntries = [654, 656, 658, 662, 670, 686, 718, 782, 912, 1168, 1680, 2704]

    private mutating func readTransforms() throws(ImageDecodingError) {
        var seen: Set<Int> = []
        while try reader.readFlag() {
            let kind = try reader.read(2)
            guard seen.insert(kind).inserted else { throw .malformed(.webP, "a transform is repeated") }
            switch kind {
            case 0, 1:  // Predictor, color.
                let size = try readReducedSize()
                try skipImage(size)
            case 3:  // Palette.
                let count = try reader.read(8) + 1
                try skipImage(PixelSize(width: count, height: 1))
                width = Self.reduced(width, by: count > 16 ? 0 : count > 4 ? 1 : count > 2 ? 2 : 3)
            default: break  // Subtract green: no data.
            }
        }
    }

    private mutating func readReducedSize() throws(ImageDecodingError) -> PixelSize {
        let bits = try reader.read(3) + 2
        return PixelSize(width: Self.reduced(width, by: bits), height: Self.reduced(height, by: bits))
    }

    private static func reduced(_ side: Int, by bits: Int) -> Int { (side + 1 << bits - 1) >> bits }

    /// Returns the number of bits of the color cache. Returns 0 if there is none.
    private mutating func readCacheBits() throws(ImageDecodingError) -> Int {
        guard try reader.readFlag() else { return 0 }
        let bits = try reader.read(4)
        guard (1...11).contains(bits) else { throw .malformed(.webP, "the color cache has \(bits) bits") }
        return bits
    }

    private mutating func skipImage(_ size: PixelSize) throws(ImageDecodingError) {
        _ = try largestGroup(in: size)
    }

    /// Reads an image without transforms or groups and returns the largest number in the red and green of its pixels.
    ///
    /// Copied and cached pixels equal earlier ones or are 0, so only literal pixels matter.
    private mutating func largestGroup(in size: PixelSize) throws(ImageDecodingError) -> Int {
        byteCount += 4 * size.area
        let codes = try VP8LPixelCodes(cacheBits: try readCacheBits(), from: &reader)
        if let pixel = codes.onlyPixel { return pixel }
        var largest = 0
        var left = size.area
        while left > 0 {
            let (pixel, count) = try codes.read(from: &reader)
            guard count <= left else { throw .malformed(.webP, "pixels are copied beyond the end") }
            left -= count
            largest = max(largest, pixel)
        }
        return largest
    }
}

/// The five prefix codes of a group (RFC 9649, 3.7.2.1).
private struct VP8LPixelCodes {
    private let green: VP8LPrefixCode
    private let red: VP8LPrefixCode
    private let blue: VP8LPrefixCode
    private let alpha: VP8LPrefixCode
    private let distance: VP8LPrefixCode

    init(cacheBits: Int, from reader: inout VP8LBitReader) throws(ImageDecodingError) {
        green = try VP8LPrefixCode(alphabet: 256 + 24 + (cacheBits == 0 ? 0 : 1 << cacheBits), from: &reader)
        red = try VP8LPrefixCode(alphabet: 256, from: &reader)
        blue = try VP8LPrefixCode(alphabet: 256, from: &reader)
        alpha = try VP8LPrefixCode(alphabet: 256, from: &reader)
        distance = try VP8LPrefixCode(alphabet: 40, from: &reader)
    }

    /// The red and green, as one number, of all pixels. `nil` if the pixels take any bits.
    var onlyPixel: Int? {
        guard let green = green.onlySymbol, green < 256, let red = red.onlySymbol, blue.onlySymbol != nil,
            alpha.onlySymbol != nil
        else { return nil }
        return red << 8 | green
    }

    /// Reads the next pixels. Returns their red and green as one number, or 0 for copies of earlier pixels, and their
    /// count.
    func read(from reader: inout VP8LBitReader) throws(ImageDecodingError) -> (pixel: Int, count: Int) {
        let symbol = try green.read(from: &reader)
        if symbol >= 280 { return (0, 1) }  // From the color cache.
        if symbol >= 256 {
            let count = try number(symbol - 256, from: &reader)
            _ = try number(try distance.read(from: &reader), from: &reader)
            return (0, count)
        }
        let pixel = try red.read(from: &reader) << 8 | symbol
        _ = try blue.read(from: &reader)
        _ = try alpha.read(from: &reader)
        return (pixel, 1)
    }

    /// Reads a length or distance from its prefix and extra bits (RFC 9649, 3.6.2.2).
    private func number(_ prefix: Int, from reader: inout VP8LBitReader) throws(ImageDecodingError) -> Int {
        if prefix < 4 { return prefix + 1 }
        let bits = (prefix - 2) >> 1
        return try (2 + prefix & 1) << bits + reader.read(bits) + 1
    }
}
