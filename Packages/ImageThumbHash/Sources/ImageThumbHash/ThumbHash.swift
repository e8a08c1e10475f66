public import ImageCore

/// A compact description of an image, from which a blurred version can be drawn while the image loads.
///
/// It has the average color, the aspect ratio, the transparency and a few low frequencies of an image, in 11 to 25 bytes.
/// A server computes it once and sends it with the URL of the image.
///
/// The format is that of the reference implementation by Evan Wallace (https://evanw.github.io/thumbhash).
public struct ThumbHash: Hashable, Sendable {
    let bytes: [UInt8]
    let layout: ThumbHashLayout

    /// Creates a hash from its bytes.
    public init(data: Data) throws(ThumbHashError) {
        bytes = [UInt8](data)
        layout = try ThumbHashLayout(header: bytes)
        guard bytes.count == layout.byteCount else { throw .wrongLength(bytes.count, expected: layout.byteCount) }
    }

    /// Creates a hash from base64 text with padding (RFC 4648 section 4).
    public init(base64: String) throws(ThumbHashError) {
        guard let data = Data(base64Encoded: base64) else { throw .notBase64 }
        try self.init(data: data)
    }

    init(bytes: [UInt8], layout: ThumbHashLayout) {
        self.bytes = bytes
        self.layout = layout
    }

    /// The bytes, at most 25.
    public var data: Data { Data(bytes) }

    /// The bytes as base64 text with padding, at most 36 characters.
    public var base64: String { data.base64EncodedString() }

    /// Whether the image has transparent parts.
    public var hasAlpha: Bool { layout.hasAlpha }

    /// The approximate width of the image divided by its height, from 1/7 to 7.
    public var aspectRatio: Double { Double(layout.columns) / Double(layout.rows) }

    /// The decoded bitmap as an image, for views. Decoded on each read.
    public var image: DecodedImage {
        let bitmap = bitmap()
        let header = ImageHeader(format: .thumbHash, storedSize: bitmap.size, hasAlpha: hasAlpha)
        return DecodedImage(bitmap: bitmap, header: header, completeness: .preview)
    }
}

extension ThumbHash: CustomStringConvertible {
    public var description: String { base64 }
}

extension ThumbHash: Codable {
    /// Decodes base64 text.
    public init(from decoder: any Decoder) throws {
        try self.init(base64: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes base64 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(base64)
    }
}

/// The reason why bytes or text are not a ThumbHash.
@nonexhaustive
public enum ThumbHashError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The text is not base64.
    case notBase64
    /// The number of bytes is wrong. The first bytes determine how many are expected.
    case wrongLength(Int, expected: Int)
    /// The number of frequencies along the shorter side is zero, or larger than that along the longer side.
    case invalidFrequencyCount(Int)

    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .notBase64: "not base64 text"
        case .wrongLength(let count, let expected): "a ThumbHash of \(count) bytes, expected \(expected)"
        case .invalidFrequencyCount(let count): "a ThumbHash with \(count) frequencies along the shorter side"
        }
    }
}

extension ImagePlaceholder {
    /// The image of a hash. It is decoded when a view shows it.
    public static func thumbHash(_ thumbHash: ThumbHash) -> ImagePlaceholder {
        .deferred(id: thumbHash) { thumbHash.image }
    }
}

extension ImageFormat {
    /// ThumbHash, by Evan Wallace.
    public static let thumbHash = ImageFormat(rawValue: "thumbhash")
}

extension ThumbHash {
    /// Returns the blurred image that the hash describes, with 32 pixels on its longer side.
    ///
    /// Scale it smoothly to the size of the view. Takes tens of microseconds, so you can call it while a view is configured.
    public func bitmap() -> Bitmap {
        let (channels, size) = (channels, decodedSize)
        let (columns, rows) = (Frequency.cosines(length: size.width), Frequency.cosines(length: size.height))
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for row in rows {
            for column in columns {
                let values = channels.map { $0.value(column, row) }
                let blue = values[0] - 2.0 / 3.0 * values[1]
                let red = (3 * values[0] - blue + values[2]) / 2
                for value in [red, red - values[2], blue, hasAlpha ? values[3] : 1] {
                    pixels.append(UInt8(255 * max(0, min(1, value))))
                }
            }
        }
        // With little transparency, no pixel may be left translucent.
        let isOpaque = stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
        return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
    }

    private var decodedSize: PixelSize {
        aspectRatio > 1
            ? PixelSize(width: 32, height: Int((32 / aspectRatio).rounded()))
            : PixelSize(width: Int((32 * aspectRatio).rounded()), height: 32)
    }

    /// The channels, in the order of the layout. Color is more saturated, because rounding takes saturation away.
    private var channels: [Channel] {
        let averages = [
            field(at: 0, bits: 6) / 63, field(at: 6, bits: 6) / 31.5 - 1, field(at: 12, bits: 6) / 31.5 - 1,
            field(at: 40, bits: 4) / 15,
        ]
        let scales = [
            field(at: 18, bits: 5) / 31, field(at: 27, bits: 6) / 63 * 1.25, field(at: 33, bits: 6) / 63 * 1.25,
            field(at: 44, bits: 4) / 15,
        ]
        var levels = bytes.dropFirst(layout.frequencyStart).flatMap { [$0 & 15, $0 >> 4] }[...]
        return layout.channels.indices.map { index in
            let frequencies = layout.channels[index]
            defer { levels = levels.dropFirst(frequencies.count) }
            return Channel(
                average: averages[index],
                terms: zip(frequencies, levels).map { ($0, (Double($1) / 7.5 - 1) * scales[index]) })
        }
    }

    /// Returns bits of the header as a whole number.
    private func field(at start: Int, bits: Int) -> Double {
        let header = bytes.littleEndian(at: 0, 6, as: UInt64.self) ?? 0
        return Double(header >> start & (1 << bits - 1))
    }
}

/// A channel as a sum of cosines.
private struct Channel {
    let average: Double
    let terms: [(frequency: Frequency, magnitude: Double)]

    func value(_ column: [Double], _ row: [Double]) -> Double {
        terms.reduce(average) { $0 + $1.magnitude * column[$1.frequency.x] * (2 * row[$1.frequency.y]) }
    }
}
