#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decoder that also decodes images while their bytes arrive.
public protocol IncrementalImageDecoder: ImageDecoder {
    /// Creates an image without bytes.
    func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage
}

/// An image that is decoded while its bytes arrive.
///
/// Promises:
/// - However the bytes are cut into pieces, the same bytes lead to the same state and the same previews.
/// - Each byte is decoded once, whatever the number of previews.
/// - Memory is bounded by the limits, as with `OpenedImage`; a preview never shows more than the final image.
///
/// Use it from one task at a time. Call `append` until `header` is not nil, then `start`, then `append` and `decodePreview` in any
/// order.
public protocol IncrementalImage: AnyObject {
    /// What the file says about its image; nil until enough of it has come in. Frames of an animation that have not come
    /// in are not counted, and metadata behind the pixels is missing.
    var header: ImageHeader? { get }

    /// How much of the image can be shown; nothing before `start`, and nothing ever of a kind that the decoder can't show in
    /// parts, as an animation.
    var extent: PreviewExtent { get }

    /// As `OpenedImage.decodableSize(covering:)`. Only once `header` is there.
    func decodableSize(covering target: PixelSize) -> PixelSize

    /// Bytes that will be held for previews of this size: whole images and coefficients, not a few rows.
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int

    /// Fixes the size and layout of the previews, once, when `header` is there; `size` and `layout` as for
    /// `OpenedImage.decode`. Throws what `append` throws.
    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure)

    /// Appends bytes.
    ///
    /// Throws `.malformed`, `.unsupported` or `.limitExceeded` as soon as the bytes show it, and again each time; from then on
    /// `extent` stays as it was or is `.nothing`. Bytes behind the end of the image are ignored.
    func append(_ bytes: Data) throws(DecodingFailure)

    /// Hands the first `extent.rows` rows to `sink`, as good as they are known.
    ///
    /// Throws what the sink throws, and `.malformed` where damage shows only now. After `append` has failed, what is handed
    /// over may show the damage.
    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure)
}

/// How much of an image has been decoded. Grows until bytes turn out to be damaged; two equal extents of one image show the same.
public struct PreviewExtent: Hashable, Sendable {
    /// Complete passes over the image: scans of a progressive JPEG, passes of an interlaced PNG; 0 or 1 where there is
    /// only one.
    public var passes: Int
    /// Rows from the top that can be shown, at the size that was started.
    public var rows: Int

    public init(passes: Int, rows: Int) {
        self.passes = passes
        self.rows = rows
    }

    /// Nothing can be shown.
    public static let nothing = PreviewExtent(passes: 0, rows: 0)
}
