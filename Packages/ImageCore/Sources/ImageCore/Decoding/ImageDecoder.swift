#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Knows one file format: recognises it by its first bytes and opens pictures in it.
///
/// Promises:
/// - `recognises` looks at the signature alone, never at names or MIME types, and never traps, however short the prefix.
/// - `open` reads the header and checks it against the limits before memory for pixels is taken.
/// - Whatever the bytes, both return or throw in bounded time and memory.
/// - Both may be called from any thread, concurrently.
public protocol ImageDecoder: Sendable {
    var format: ImageFormat { get }

    /// True when `prefix` (the first 32 bytes of a file, fewer if it is shorter) carries this format's signature.
    func recognises(_ prefix: Data) -> Bool

    /// Throws `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
    func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage
}

/// A picture whose header is read and whose pixels can be asked for.
///
/// Belongs to one task at a time; not `Sendable`. Asking for the frames of an animation in order costs one frame each.
public protocol OpenedImage: AnyObject {
    var header: ImageHeader { get }

    /// The smallest size, not below `target` in width or height, to which the codec itself can scale while decoding.
    ///
    /// The stored size when it can't scale, or when nothing smaller covers the target. In stored orientation.
    func decodableSize(covering target: PixelSize) -> PixelSize

    /// Bytes that the codec still holds while it hands over the rows of frame `index`, beside what the sink keeps.
    ///
    /// Whole pictures, canvases, coefficients; not a few rows. 0 when there is nothing of that kind, as by default;
    /// `Int.max` when it overflows. Takes no memory itself. What a codec holds only before the first row is for `decode` to
    /// check.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int

    /// Decodes frame `index`, composited on its canvas, and hands its rows to `sink`.
    ///
    /// - Parameters:
    ///   - size: the stored size, or a value that `decodableSize(covering:)` returned.
    ///   - layout: `.rgba8`, or the header's `nativeLayout`. With `.rgba8` the codec converts by its format's plain rules
    ///     and leaves the embedded profile alone.
    ///   - sink: receives every row exactly once, from the top, in stored orientation.
    /// - Throws: `.noSuchFrame`, `.malformed`, `.truncated`, `.limitExceeded`, or what the sink throws.
    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(DecodingFailure)
}

extension OpenedImage {
    public func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { 0 }
}

/// Receives a picture row by row.
///
/// Decoders, colour conversion and resampling are joined through this port, so that a picture flows through all of them
/// with a few rows in memory.
public protocol PixelRowSink: AnyObject {
    /// Takes the next row, whose length and layout were agreed when the sink was made.
    ///
    /// Throwing ends the decode with that error; `.cancelled` is how a sink says that it wants no more.
    func receive(_ row: Span<UInt8>) throws(DecodingFailure)
}
