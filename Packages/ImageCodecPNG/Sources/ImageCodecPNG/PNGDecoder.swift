public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes PNG (W3C PNG, ISO/IEC 15948): every colour type and depth, palettes, transparent colours, interlaced or not.
///
/// 16 bits a channel become 8, rounded to the nearest. Rows leave as they are decoded; an interlaced image is held whole
/// first, which the limits count as `decodedBytes`; of a truncated one pixels that are missing show earlier passes. Of an animated PNG the default image is decoded, as one frame.
///
/// The header tells an ICC profile, or else the colours that cICP, gAMA and cHRM describe; pixels are left as they are. Damaged
/// critical chunks are `.malformed`, damaged ancillary chunks are left out.
public struct PNGDecoder: IncrementalImageDecoder {
    public init() {}

    public var format: ImageFormat { .png }

    /// True for the eight bytes of the PNG signature.
    public func recognises(_ prefix: Data) -> Bool { prefix.starts(with: PNGChunkStream.signature) }

    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognises(data.prefix(32)) else { throw .malformed(.png, "no PNG signature") }
        return try OpenedPNG(data, limits: limits)
    }

    /// Holds the whole image, whatever its kind. A plain one grows by rows, an interlaced one gets finer by passes.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalPNG(limits: limits) }
}
