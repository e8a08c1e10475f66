/// Decodes one file format.
///
/// Promises:
/// - `recognizes` uses the signature only, never names or MIME types, and never traps.
/// - `open` reads the header and checks the limits before memory for pixels is allocated.
/// - For any bytes, both return or throw in bounded time and memory.
/// - Both can be called concurrently from any thread.
public protocol ImageDecoder: Sendable {
    /// The format that it decodes.
    var format: ImageFormat { get }

    /// Returns whether a file has this format's signature.
    /// - Parameter prefix: The first 128 bytes of the file, fewer if it is shorter.
    func recognizes(_ prefix: Data) -> Bool

    /// Opens an image. Throws `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage
}

/// A decoder of whole images, which can take their memory from a pool.
package protocol PoolingImageDecoder: ImageDecoder {
    /// Returns a decoder that uses a pool, unless it already has one.
    func using(_ pool: PixelBufferPool) -> Self
}

/// An image whose header is read, ready to be decoded.
///
/// Use it from one task at a time. Decoding the frames of an animation in order costs one frame each.
public protocol OpenedImage: AnyObject {
    /// The header.
    var header: ImageHeader { get }

    /// Returns the smallest size, not below `target` in width or height, to which the codec can scale while decoding.
    ///
    /// Returns the stored size if the codec can't scale, or if nothing smaller covers the target. In stored
    /// orientation.
    func decodableSize(covering target: PixelSize) -> PixelSize

    /// Returns the size at which to decode an image that is then resampled to `target`. By default
    /// `decodableSize(covering:)`; larger if more detail costs little.
    func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize

    /// Returns the memory, in bytes, that the codec holds while it delivers the rows of a frame: images, canvases,
    /// coefficients, but not a few rows.
    ///
    /// 0 by default; `Int.max` if it overflows. Memory that is held only before the first row is checked by `decode`.
    func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int

    /// The thumbnail in the file, itself a complete file, or nil. It may be outdated, oriented differently or have
    /// black borders.
    var embeddedThumbnail: Data? { get }

    /// Decodes a frame, composited on its canvas, and passes its rows to a sink.
    ///
    /// If the file is truncated, the available rows are delivered before `.truncated` is thrown: some rows, or all in
    /// less detail. A codec that works for long before the next row calls the sink's `checkCancellation()` every few
    /// milliseconds.
    ///
    /// - Parameters:
    ///   - index: The frame, from 0.
    ///   - size: The stored size, or a result of `decodableSize(covering:)`.
    ///   - layout: `.rgba8`, or the header's `nativeLayout`. With `.rgba8`, the codec converts by the rules of its
    ///     format and ignores the embedded profile.
    ///   - preference: With `.speed` a codec may omit details that are hardly visible at `size`. Below the stored size,
    ///     `.quality` may do so within the error of 8 bits and resampling.
    ///   - sink: Receives every row exactly once, from the top, in stored orientation.
    /// - Throws: `.noSuchFrame`, `.malformed`, `.truncated`, `.unsupported`, `.limitExceeded`, or the error of the
    ///   sink.
    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(ImageDecodingError)
}

extension OpenedImage {
    public func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
        decodableSize(covering: target)
    }

    public func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { 0 }

    public var embeddedThumbnail: Data? { nil }

    /// Decodes with the preference for quality.
    public func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        try decode(frame: index, size: size, layout: layout, preference: .quality, into: sink)
    }
}

/// Receives an image row by row.
///
/// Decoders, color conversion and resampling are connected by this protocol, so that an image is processed with a few
/// rows in memory.
public protocol PixelRowSink: AnyObject {
    /// Receives the next row, whose length and layout were fixed when the sink was created.
    ///
    /// An error ends the decoding with that error. Throw `.cancelled` to stop it.
    func receive(_ row: Span<UInt8>) throws(ImageDecodingError)

    /// Lets a decoder write a whole image of `byteCount` bytes into the result, instead of delivering its rows.
    ///
    /// A decoder that can write a whole image calls it before the first row. Returns false, without calling `write`, if
    /// the sink needs rows.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the image without padding.
    ///   - write: Receives arbitrary bytes and writes each of them, without padding and in the fixed layout. Calls
    ///     `checkCancellation()` every few rows. If it throws, the image is discarded.
    func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool

    /// Throws `.cancelled` if no more rows are needed. Decoders call it if they work for long before the next row.
    func checkCancellation() throws(ImageDecodingError)
}

extension PixelRowSink {
    /// Returns false.
    public func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool { false }

    /// Does nothing.
    public func checkCancellation() throws(ImageDecodingError) {}
}
