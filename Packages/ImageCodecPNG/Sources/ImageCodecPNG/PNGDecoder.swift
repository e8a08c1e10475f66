public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes PNG (W3C PNG, ISO/IEC 15948): every color type and depth, interlaced or not.
///
/// Channels of 16 bits are rounded to 8. Rows are delivered as they are decoded. An interlaced image is stored
/// completely first, which `DecodingLimits.decodedBytes` limits. If it is truncated, earlier passes fill the missing
/// pixels. An animated PNG is decoded as its default image.
///
/// The header has the ICC profile, or else the colors of cICP, gAMA and cHRM. The pixels are not converted. Damaged
/// critical chunks are `.malformed`, and damaged ancillary chunks are ignored.
public struct PNGDecoder: IncrementalImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    /// `.png`.
    public var format: ImageFormat { .png }

    /// Returns whether the data starts with the eight bytes of the PNG signature.
    public func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: PNGChunkStream.signature) }

    /// Reads the chunks before the pixels, and the orientation.
    ///
    /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(32)) else { throw .malformed(.png, "the PNG signature is missing") }
        return try OpenedPNG(data, limits: limits)
    }

    /// Creates an image without bytes. Previews show rows, or the passes of an interlaced image. The whole image is
    /// stored.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalPNG(limits: limits) }
}
