/// Why an image could not be decoded.
@nonexhaustive
public enum ImageDecodingError: Error, Hashable, Sendable {
    /// No decoder recognizes the first bytes.
    case unknownFormat
    /// The data violates its format. The text is for humans.
    case malformed(ImageFormat, String)
    /// The data ends before the image does.
    case truncated(ImageFormat)
    /// The data uses a feature that the decoder does not support.
    case unsupported(ImageFormat, String)
    /// The image exceeds one of the `DecodingLimits`.
    case limitExceeded(DecodingLimit, value: Int, allowed: Int)
    /// There is no frame with this number. The first frame is 0.
    case noSuchFrame(Int, frameCount: Int)
    /// Decoding was cancelled.
    case cancelled
}

extension ImageDecodingError: CustomStringConvertible {
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

/// Identifies a limit of `DecodingLimits`, for example in `ImageDecodingError.limitExceeded`.
@nonexhaustive
public enum DecodingLimit: String, Sendable, CaseIterable {
    /// The limit of the same name in `DecodingLimits`.
    case encodedBytes, pixels, side, frames, metadataBytes, decodedBytes, scans
}

/// Limits of decoding, checked on the header before memory is allocated.
///
/// `decodedBytes` limits memory: what is decoded and held. `pixels` limits time: what is declared and has to be read,
/// although less may be held. A codec that shrinks while it decodes, or that delivers rows, holds little of a large
/// image. With the default limits, a JPEG of 200 megapixels decodes to a thumbnail, and is refused at its full size.
public struct DecodingLimits: Hashable, Sendable {
    /// The size of the file in bytes.
    public var encodedBytes: Int
    /// Width times height of the stored image or canvas, whatever the size of the output. Bounds the time.
    ///
    /// The default of 500 megapixels is above the sensors of current phones (200) and far below what files can declare
    /// (65,500² in JPEG). A photograph of that size takes some seconds.
    public var pixels: Int
    /// The width and the height, each.
    public var side: Int
    /// The largest number of frames; a still image has 1.
    public var frames: Int
    /// The size in bytes of an ICC profile or of Exif data, each. Larger ones are ignored.
    public var metadataBytes: Int
    /// The memory in bytes of one decode: the output, and the working memory of the codec as far as the header
    /// determines it. See `OpenedImage.heldBytes`.
    ///
    /// Baseline JPEG, PNG and still GIF that are not interlaced hold a few rows. Progressive JPEG holds the coefficients
    /// that the size needs. Other images and formats are held whole.
    public var decodedBytes: Int
    /// The number of scans of a progressive JPEG.
    public var scans: Int

    /// Creates limits. Each one can be changed separately.
    public init(
        encodedBytes: Int = 256 << 20, pixels: Int = 500_000_000, side: Int = 65_535, frames: Int = 100_000,
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

    /// The default limits: 256 MiB encoded, 500 megapixels, 400 MiB decoded, and those of the initializer.
    public static let `default` = DecodingLimits()

    /// Checks a value. Throws `.limitExceeded` if it exceeds the limit.
    public func check(_ limit: DecodingLimit, _ value: Int) throws(ImageDecodingError) {
        let allowed = self[limit]
        if value > allowed { throw .limitExceeded(limit, value: value, allowed: allowed) }
    }

    /// Checks the sides and the area of an image. Throws `.limitExceeded` if one exceeds its limit.
    public func check(_ size: PixelSize) throws(ImageDecodingError) {
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
