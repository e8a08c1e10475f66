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
    /// The worker process that decoded the image failed.
    case workerFailed(WorkerFailure)
    /// Decoding was cancelled.
    case cancelled
}

extension ImageDecodingError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .unknownFormat: "not an image in a known format"
        case .malformed(let format, let text): "malformed \(format): \(text)"
        case .truncated(let format): "truncated \(format): the data ends before the image does"
        case .unsupported(let format, let text): "unsupported \(format): \(text)"
        case .limitExceeded(let limit, let value, let allowed):
            "too large: \(limit) is \(value), the limit is \(allowed)"
        case .noSuchFrame(let index, let count): "there is no frame \(index): the image has \(count)"
        case .workerFailed(let failure): "the worker process failed: \(failure)"
        case .cancelled: "cancelled"
        }
    }
}

/// Identifies a limit of `DecodingLimits`, for example in `ImageDecodingError.limitExceeded`.
@nonexhaustive
public enum DecodingLimit: Sendable, CaseIterable {
    /// What is limited, for example `pixels` by `DecodingLimits.maxPixels`.
    case encodedBytes, pixels, side, frames, metadataBytes, decodedBytes, scans
}

/// Limits of decoding, checked on the header before memory is allocated.
///
/// `decodedByteLimit` limits memory: what is decoded and held. `maxPixels` limits time: what is declared and has to be read,
/// although less may be held. A codec that shrinks while it decodes, or that delivers rows, holds little of a large
/// image. With the default limits, a JPEG of 200 megapixels decodes to a thumbnail, and is refused at its full size.
public struct DecodingLimits: Hashable, Sendable {
    /// The size of the file in bytes.
    public var encodedByteLimit: Int
    /// Width times height of the stored image or canvas, whatever the size of the output. Bounds the time.
    ///
    /// The default of 500 megapixels is above the sensors of current phones (200) and far below what files can declare
    /// (65,500² in JPEG). A photograph of that size takes some seconds.
    public var maxPixels: Int
    /// The width and the height, each.
    public var maxSide: Int
    /// The largest number of frames; a still image has 1.
    public var maxFrames: Int
    /// The size in bytes of an ICC profile or of Exif data, each. Larger ones are ignored.
    public var metadataByteLimit: Int
    /// The memory in bytes of one decode: the output, and the working memory of the codec as far as the header
    /// determines it. See `OpenedImage.heldByteCount`.
    ///
    /// Baseline JPEG, PNG and still GIF that are not interlaced hold a few rows. Progressive JPEG holds the coefficients
    /// that the size needs. Other images and formats are held whole.
    public var decodedByteLimit: Int
    /// The number of scans of a progressive JPEG.
    public var maxScans: Int

    /// Creates limits. Each one can be changed separately.
    public init(
        encodedByteLimit: Int = 256 << 20, maxPixels: Int = 500_000_000, maxSide: Int = 65_535,
        maxFrames: Int = 100_000,
        metadataByteLimit: Int = 4 << 20, decodedByteLimit: Int = 400 << 20, maxScans: Int = 100
    ) {
        self.encodedByteLimit = encodedByteLimit
        self.maxPixels = maxPixels
        self.maxSide = maxSide
        self.maxFrames = maxFrames
        self.metadataByteLimit = metadataByteLimit
        self.decodedByteLimit = decodedByteLimit
        self.maxScans = maxScans
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
        case .encodedBytes: encodedByteLimit
        case .pixels: maxPixels
        case .side: maxSide
        case .frames: maxFrames
        case .metadataBytes: metadataByteLimit
        case .decodedBytes: decodedByteLimit
        case .scans: maxScans
        }
    }
}
