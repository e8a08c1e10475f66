#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Knows one file format: recognises it by its first bytes and opens images in it.
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

/// An image whose header is read and whose pixels can be asked for.
///
/// Belongs to one task at a time; not `Sendable`. Asking for the frames of an animation in order costs one frame each.
public protocol OpenedImage: AnyObject {
    var header: ImageHeader { get }

    /// The smallest size, not below `target` in width or height, to which the codec itself can scale while decoding.
    ///
    /// The stored size when it can't scale, or when nothing smaller covers the target. In stored orientation.
    func decodableSize(covering target: PixelSize) -> PixelSize

    /// The size at which to decode what is then brought to `target` with this preference. `decodableSize(covering:)` of
    /// `target`, as by default, or of something larger where more detail costs little.
    func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize

    /// Bytes that the codec still holds while it hands over the rows of frame `index`, beside what the sink keeps.
    ///
    /// Whole images, canvases, coefficients; not a few rows. 0 when there is nothing of that kind, as by default;
    /// `Int.max` when it overflows. Takes no memory itself. What a codec holds only before the first row is for `decode` to
    /// check.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int

    /// The small image that a camera put into the file, itself a complete file, or nil. It may be out of date, turned
    /// otherwise or framed in black: nothing but the camera's word says that it shows the same.
    var embeddedThumbnail: Data? { get }

    /// Decodes frame `index`, composited on its canvas, and hands its rows to `sink`.
    ///
    /// Of a truncated file the rows that can be told are handed over before `.truncated` is thrown; fewer than all, or all
    /// of them in less detail. Where work is done without handing over rows, the sink's `checkCancellation()` is called
    /// often enough for a person not to notice a delay.
    ///
    /// - Parameters:
    ///   - size: the stored size, or a value that `decodableSize(covering:)` returned.
    ///   - layout: `.rgba8`, or the header's `nativeLayout`. With `.rgba8` the codec converts by its format's plain rules
    ///     and leaves the embedded profile alone.
    ///   - preference: with `.speed` a codec may leave out what is hardly seen at `size`. Below the stored size `.quality`
    ///     may do so too, as long as the difference is below what 8 bits and resampling bring anyway.
    ///   - sink: receives every row exactly once, from the top, in stored orientation.
    /// - Throws: `.noSuchFrame`, `.malformed`, `.truncated`, `.unsupported` (what the header does not yet show, or another size or
    ///   layout than those above), `.limitExceeded`, or what the sink throws.
    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure)
}

extension OpenedImage {
    public func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
        decodableSize(covering: target)
    }

    public func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { 0 }

    public var embeddedThumbnail: Data? { nil }

    /// Decodes with the preference for quality.
    public func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        try decode(frame: index, size: size, layout: layout, preference: .quality, into: sink)
    }
}

/// Receives an image row by row.
///
/// Decoders, colour conversion and resampling are joined through this port, so that an image flows through all of them
/// with a few rows in memory.
public protocol PixelRowSink: AnyObject {
    /// Takes the next row, whose length and layout were agreed when the sink was made.
    ///
    /// Throwing ends the decode with that error; `.cancelled` is how a sink says that it wants no more.
    func receive(_ row: Span<UInt8>) throws(DecodingFailure)

    /// Takes a whole image instead of its rows, packed and in the agreed layout, if it can keep the memory as it is; false
    /// when it wants rows. For a decoder that has all of an image in memory, before it has handed over a row.
    func takePicture(_ pixels: [UInt8]) throws(DecodingFailure) -> Bool

    /// Throws `.cancelled` when no more rows are wanted. For a decoder that works long before it has the next row.
    func checkCancellation() throws(DecodingFailure)
}

extension PixelRowSink {
    /// Wants rows.
    public func takePicture(_ pixels: [UInt8]) throws(DecodingFailure) -> Bool { false }

    /// Never cancelled.
    public func checkCancellation() throws(DecodingFailure) {}
}
