import ImageCore

/// Foretells, from the header of a lossless image, what libwebp will hold for it beside its pixels.
///
/// An image may name up to 65,536 groups of prefix codes, in a small image of its own (RFC 9649, 3.7.2.2); for each
/// of them libwebp holds tables. Read here are the transforms and that small image, as a stream of symbols: of its
/// pixels only the largest matters. Time is linear in the bits and pixels of these, memory that of one group's codes.
struct VP8LForecast {
    /// What the small images, the one of the groups among them, and the tables of all groups take.
    private(set) var byteCount = 0

    private var reader: VP8LBitReader
    private var width: Int
    private let height: Int

    /// - Parameters:
    ///   - range: of the stream: the payload of a VP8L chunk, or of an ALPH chunk behind its first byte.
    ///   - hasHeader: whether the stream starts with signature, size and version, as in VP8L chunks.
    /// - Throws: `.truncated` or `.malformed` where libwebp will not get to the tables either.
    init(of range: Range<Int>, hasHeader: Bool, size: PixelSize, in source: Span<UInt8>) throws(DecodingFailure) {
        reader = VP8LBitReader(range)
        (width, height) = (size.width, size.height)
        if hasHeader {
            _ = try reader.read(32, from: source)
            _ = try reader.read(8, from: source)
        }
        try readTransforms(from: source)
        let cacheBits = try readCacheBits(from: source)
        var groupCount = 1
        if try reader.readFlag(from: source) {
            let size = try readReducedSize(from: source)
            groupCount = try largestGroup(in: size, from: source) + 1
        }
        byteCount += groupCount * Self.groupBytes(cacheBits: cacheBits)
    }

    /// What libwebp (0.5 to 1.6) holds for one group: tables of 4 bytes an entry, as many entries as the worst code needs,
    /// a descriptor with 64 packed entries, and a number where groups are renumbered.
    private static func groupBytes(cacheBits: Int) -> Int {
        4 * (3 * 630 + 410 + greenEntries[cacheBits]) + 568 + 4
    }

    /// Entries for the codes of green, lengths and the colour cache, by the bits of the cache; 8 bits are looked up first.
    private static let greenEntries = [654, 656, 658, 662, 670, 686, 718, 782, 912, 1168, 1680, 2704]

    private mutating func readTransforms(from source: Span<UInt8>) throws(DecodingFailure) {
        var seen: Set<Int> = []
        while try reader.readFlag(from: source) {
            let kind = try reader.read(2, from: source)
            guard seen.insert(kind).inserted else { throw .malformed(.webp, "a transform comes twice") }
            switch kind {
            case 0, 1:  // Predictor, colour.
                let size = try readReducedSize(from: source)
                try skipImage(size, from: source)
            case 3:  // Palette.
                let count = try reader.read(8, from: source) + 1
                try skipImage(PixelSize(width: count, height: 1), from: source)
                width = Self.reduced(width, by: count > 16 ? 0 : count > 4 ? 1 : count > 2 ? 2 : 3)
            default: break  // Green is subtracted: nothing more to read.
            }
        }
    }

    private mutating func readReducedSize(from source: Span<UInt8>) throws(DecodingFailure) -> PixelSize {
        let bits = try reader.read(3, from: source) + 2
        return PixelSize(width: Self.reduced(width, by: bits), height: Self.reduced(height, by: bits))
    }

    private static func reduced(_ side: Int, by bits: Int) -> Int { (side + 1 << bits - 1) >> bits }

    /// Bits of the colour cache, 0 when there is none.
    private mutating func readCacheBits(from source: Span<UInt8>) throws(DecodingFailure) -> Int {
        guard try reader.readFlag(from: source) else { return 0 }
        let bits = try reader.read(4, from: source)
        guard (1...11).contains(bits) else { throw .malformed(.webp, "the colour cache has \(bits) bits") }
        return bits
    }

    private mutating func skipImage(_ size: PixelSize, from source: Span<UInt8>) throws(DecodingFailure) {
        _ = try largestGroup(in: size, from: source)
    }

    /// Reads an image without transforms or groups; returns the largest number in the red and green of its pixels.
    ///
    /// Copied and cached pixels are ones that came before, or 0, so that literal ones tell the largest.
    private mutating func largestGroup(in size: PixelSize, from source: Span<UInt8>) throws(DecodingFailure) -> Int {
        byteCount += 4 * size.area
        let codes = try VP8LPixelCodes(
            cacheBits: try readCacheBits(from: source), reader: &reader, source: source)
        if let pixel = codes.onlyPixel { return pixel }
        var largest = 0
        var left = size.area
        while left > 0 {
            let (pixel, count) = try codes.read(from: &reader, source)
            guard count <= left else { throw .malformed(.webp, "pixels are copied beyond the end") }
            left -= count
            largest = max(largest, pixel)
        }
        return largest
    }
}

/// The five prefix codes of a group (RFC 9649, 3.7.2.1).
struct VP8LPixelCodes {
    private let green: VP8LPrefixCode
    private let red: VP8LPrefixCode
    private let blue: VP8LPrefixCode
    private let alpha: VP8LPrefixCode
    private let distance: VP8LPrefixCode

    init(cacheBits: Int, reader: inout VP8LBitReader, source: Span<UInt8>) throws(DecodingFailure) {
        let cacheSize = cacheBits == 0 ? 0 : 1 << cacheBits
        green = try VP8LPrefixCode(alphabet: 256 + 24 + cacheSize, reader: &reader, source: source)
        red = try VP8LPrefixCode(alphabet: 256, reader: &reader, source: source)
        blue = try VP8LPrefixCode(alphabet: 256, reader: &reader, source: source)
        alpha = try VP8LPrefixCode(alphabet: 256, reader: &reader, source: source)
        distance = try VP8LPrefixCode(alphabet: 40, reader: &reader, source: source)
    }

    /// The red and green, as one number, of all pixels where none takes any bits.
    var onlyPixel: Int? {
        guard let green = green.onlySymbol, green < 256, let red = red.onlySymbol, blue.onlySymbol != nil,
            alpha.onlySymbol != nil
        else { return nil }
        return red << 8 | green
    }

    /// The next pixels: how many, and red and green as one number, 0 for those that repeat earlier ones.
    func read(
        from reader: inout VP8LBitReader, _ source: Span<UInt8>
    ) throws(DecodingFailure) -> (pixel: Int, count: Int) {
        let symbol = try green.read(from: &reader, source)
        if symbol >= 280 { return (0, 1) }  // From the colour cache.
        if symbol >= 256 {
            let count = try number(symbol - 256, from: &reader, source)
            _ = try number(try distance.read(from: &reader, source), from: &reader, source)
            return (0, count)
        }
        let pixel = try red.read(from: &reader, source) << 8 | symbol
        _ = try blue.read(from: &reader, source)
        _ = try alpha.read(from: &reader, source)
        return (pixel, 1)
    }

    /// A length or distance, from its prefix and further bits (RFC 9649, 3.6.2.2).
    private func number(
        _ prefix: Int, from reader: inout VP8LBitReader, _ source: Span<UInt8>
    ) throws(DecodingFailure) -> Int {
        if prefix < 4 { return prefix + 1 }
        let bits = (prefix - 2) >> 1
        return try (2 + prefix & 1) << bits + reader.read(bits, from: source) + 1
    }
}
