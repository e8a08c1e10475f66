/// Decodes images of any known format to the requested size. A loader has one such decoder.
///
/// Promises:
/// - The format is recognized by its signature.
/// - The result is upright, in the color space of the request, and has the size `DecodingRequest.outputSize(for:)`.
/// - Memory is bounded by the limits; malformed data is a typed error, also when truncated images are accepted.
/// - Methods are synchronous and CPU-bound: don't call them on the main actor. `isCancelled` is called between rows.
public protocol SizedImageDecoder: Sendable {
    /// Reads the header only.
    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader

    /// Decodes an image. Throws `.cancelled` soon after `isCancelled` returns true.
    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage

    /// Opens a file to read its frames. By default, each frame is decoded by itself.
    ///
    /// - Parameters:
    ///   - data: The complete file.
    ///   - request: The size and the color space of the frames.
    func makeFrameReader(of data: Data, request: DecodingRequest) throws(ImageDecodingError) -> any FrameReader

    /// Creates a session that makes previews of one image. Returns nil if the decoder makes none, which is the default.
    ///
    /// - Parameters:
    ///   - request: The size and the color space of the image.
    ///   - throttle: How often to make previews.
    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)?
}

extension SizedImageDecoder {
    /// Decodes an image. Throws `.cancelled` soon after the current task is cancelled.
    ///
    /// - Parameters:
    ///   - data: The complete file.
    ///   - request: The size and the color space of the image; by default the stored size and sRGB.
    public func decode(
        _ data: Data, request: DecodingRequest = DecodingRequest()
    ) throws(ImageDecodingError) -> DecodedImage {
        try decode(data, request: request) { Task.isCancelled }
    }

    public func makeFrameReader(of data: Data, request: DecodingRequest) throws(ImageDecodingError) -> any FrameReader {
        try IndependentFrameReader(data, request: request, decoder: self)
    }

    public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? { nil }
}

/// Makes previews of an image while its bytes arrive.
///
/// Promises:
/// - Previews get better, never worse: no preview shows less than the one before it.
/// - A preview is flagged as such (`DecodedImage.completeness`) and has the size of the final image.
///
/// Use it from one task at a time. It is synchronous and CPU-bound, like the decoder.
public protocol DecodingSession: AnyObject {
    /// Appends bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the file.
    ///   - elapsed: The time since a fixed moment. Only differences matter.
    ///   - isCancelled: Asked every few rows. If it returns true, `.cancelled` is thrown.
    /// - Returns: A preview if there is something new to show and the throttle allows it, otherwise nil. Also nil if the
    ///   bytes can't be decoded.
    /// - Throws: `.cancelled`, or `.limitExceeded` if there are too many bytes.
    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage?
}

/// Decides when a preview is due. It uses no clock.
public struct PreviewThrottle: Hashable, Sendable {
    /// The minimum time between two previews.
    public var interval: Duration
    /// The minimum share of additional rows, from 0 to 1, of a preview without an additional pass.
    public var rowShare: Double

    /// Creates a throttle. By default, previews are at least 200 ms and an eighth of the rows apart.
    public init(interval: Duration = .milliseconds(200), rowShare: Double = 0.125) {
        self.interval = interval
        self.rowShare = rowShare
    }

    /// Allows every preview that shows something new.
    public static let unlimited = PreviewThrottle(interval: .zero, rowShare: 0)

    /// Returns whether a preview is due.
    ///
    /// - Parameters:
    ///   - extent: The decoded part of the image.
    ///   - rowCount: The number of rows of the whole image.
    ///   - elapsed: The time since a fixed moment. Only differences matter.
    ///   - last: The extent of the last preview, and when it was made; nil before the first.
    package func isDue(
        _ extent: PreviewExtent, of rowCount: Int, at elapsed: Duration, after last: (PreviewExtent, Duration)?
    ) -> Bool {
        guard extent.rows > 0 else { return false }
        let needed = max(1, rowShare * Double(rowCount))
        guard let (shown, moment) = last else { return Double(extent.rows) >= needed || extent.passes > 1 }
        if elapsed - moment < interval { return false }
        return extent.passes > shown.passes || Double(extent.rows - shown.rows) >= needed
    }
}
