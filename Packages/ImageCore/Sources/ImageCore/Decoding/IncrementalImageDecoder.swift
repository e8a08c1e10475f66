/// A decoder that also decodes images while their bytes arrive.
public protocol IncrementalImageDecoder: ImageDecoder {
    /// Creates an image without bytes.
    func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage
}

/// An image that is decoded while its bytes arrive.
///
/// Promises:
/// - The same bytes give the same state and the same previews, however they are divided into chunks.
/// - All previews together cost at most a few decodes of the file, regardless of their number.
/// - The limits bound memory as for `OpenedImage`. A preview never shows more than the final image.
///
/// Use it from one task at a time. Call `append` until `header` is not nil, then `start`, then `append` and
/// `decodePreview` in any order.
public protocol IncrementalImage: AnyObject {
    /// The header of the file; nil until enough bytes have arrived. It doesn't include frames that have not arrived,
    /// nor metadata that follows the pixels.
    var header: ImageHeader? { get }

    /// The part of the image that can be shown. It is `.nothing` before `start`, and always for images that the decoder
    /// can't show partially, such as animations.
    var extent: PreviewExtent { get }

    /// Like `OpenedImage.decodableSize(covering:)`. Call it only after `header` is available.
    func decodableSize(covering target: PixelSize) -> PixelSize

    /// Returns the memory, in bytes, for previews of this size: images and coefficients, but not a few rows.
    func heldByteCount(size: PixelSize, layout: PixelLayout) -> Int

    /// Sets the size and layout of the previews, as for `OpenedImage.decode`. Call it once, after `header` is
    /// available.
    ///
    /// Throws the errors of `append`.
    func start(size: PixelSize, layout: PixelLayout) throws(ImageDecodingError)

    /// Appends bytes.
    ///
    /// Throws `.malformed`, `.unsupported` or `.limitExceeded` as soon as the bytes show it. Don't use the image after an
    /// error. Bytes after the end of the image are ignored.
    func append(_ bytes: Data) throws(ImageDecodingError)

    /// Passes the first `extent.rows` rows to `sink`, in the best quality available.
    ///
    /// Throws the errors of the sink, and `.malformed` if it detects damage.
    func decodePreview(into sink: any PixelRowSink) throws(ImageDecodingError)
}

/// The decoded part of an image. It grows unless the data is damaged. Equal extents of one image show the same pixels.
public struct PreviewExtent: Hashable, Sendable {
    /// The number of complete passes: scans of a progressive JPEG, or passes of an interlaced PNG. 0 or 1 if there is
    /// only one.
    public var passes: Int
    /// The number of rows, from the top, that can be shown, at the size passed to `start`.
    public var rows: Int

    /// Creates an extent.
    public init(passes: Int, rows: Int) {
        self.passes = passes
        self.rows = rows
    }

    /// Nothing can be shown.
    public static let nothing = PreviewExtent(passes: 0, rows: 0)
}
