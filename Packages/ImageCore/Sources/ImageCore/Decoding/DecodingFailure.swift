/// Why an image could not be decoded.
public enum DecodingFailure: Error, Hashable, Sendable {
    /// The first bytes are no signature of a format that the decoders at hand know.
    case unknownFormat
    /// The data breaks the rules of its format. The text is for people.
    case malformed(ImageFormat, String)
    /// The data ends before the image does.
    case truncated(ImageFormat)
    /// Valid as far as can be told, but not something that this decoder does.
    case unsupported(ImageFormat, String)
    /// The header asks for more than `DecodingLimits` allows.
    case limitExceeded(DecodingLimit, value: Int, allowed: Int)
    /// There is no frame with this number.
    case noSuchFrame(Int, frameCount: Int)
    /// The receiver of the rows no longer wants them.
    case cancelled
}

extension DecodingFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownFormat: "not an image in a known format"
        case .malformed(let format, let text): "malformed \(format): \(text)"
        case .truncated(let format): "truncated \(format): the data ends before the image does"
        case .unsupported(let format, let text): "unsupported \(format): \(text)"
        case .limitExceeded(let limit, let value, let allowed):
            "too large: \(limit.rawValue) is \(value), the limit is \(allowed)"
        case .noSuchFrame(let index, let count): "there is no frame \(index): the image has \(count)"
        case .cancelled: "cancelled"
        }
    }
}

/// The limits of `DecodingLimits`, by name, as `DecodingFailure.limitExceeded` tells them.
public enum DecodingLimit: String, Sendable, CaseIterable {
    case encodedBytes, pixels, side, frames, metadataBytes, decodedBytes, scans
}

/// Bounds on what a decoder may accept, checked on the header before memory is taken.
public struct DecodingLimits: Hashable, Sendable {
    /// Bytes of the file.
    public var encodedBytes: Int
    /// Width times height of the stored image or canvas.
    public var pixels: Int
    /// Width and height, each.
    public var side: Int
    public var frames: Int
    /// Bytes of an ICC profile or of Exif data, each. Larger ones are ignored, not refused.
    public var metadataBytes: Int
    /// Bytes that one decode may hold at a time: the output and the codec's own working memory, as far as it can be foretold.
    public var decodedBytes: Int
    /// Scans of a progressive JPEG.
    public var scans: Int

    public init(
        encodedBytes: Int = 256 << 20, pixels: Int = 100_000_000, side: Int = 65_535, frames: Int = 100_000,
        metadataBytes: Int = 4 << 20, decodedBytes: Int = 400 << 20, scans: Int = 100
    ) {
        self.encodedBytes = encodedBytes
        self.pixels = pixels
        self.side = side
        self.frames = frames
        self.metadataBytes = metadataBytes
        self.decodedBytes = decodedBytes
        self.scans = scans
    }

    public static let `default` = DecodingLimits()

    /// Throws `DecodingFailure.limitExceeded` when `value` is above what `limit` allows.
    public func check(_ limit: DecodingLimit, _ value: Int) throws(DecodingFailure) {
        let allowed = self[limit]
        if value > allowed { throw .limitExceeded(limit, value: value, allowed: allowed) }
    }

    /// Checks side and pixels of a canvas.
    public func check(_ size: PixelSize) throws(DecodingFailure) {
        try check(.side, max(size.width, size.height))
        try check(.pixels, size.area)
    }

    private subscript(limit: DecodingLimit) -> Int {
        switch limit {
        case .encodedBytes: encodedBytes
        case .pixels: pixels
        case .side: side
        case .frames: frames
        case .metadataBytes: metadataBytes
        case .decodedBytes: decodedBytes
        case .scans: scans
        }
    }
}
