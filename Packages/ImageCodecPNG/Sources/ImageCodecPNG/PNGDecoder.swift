public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes PNG (W3C PNG, ISO/IEC 15948): every colour type and depth, palettes, transparent colours, interlaced or not.
///
/// 16 bits a channel become 8, rounded to the nearest. Rows leave as they are decoded; an interlaced picture is held whole
/// first, which the limits count as `decodedBytes`. Of an animated PNG the default picture is decoded, as one frame.
///
/// A picture without a usable ICC profile is taken for sRGB: gAMA and cHRM are not looked at. Damaged critical chunks
/// are `.malformed`, damaged ancillary chunks are left out.
public struct PNGDecoder: ImageDecoder {
    public init() {}

    public var format: ImageFormat { .png }

    /// True for the eight bytes of the PNG signature.
    public func recognises(_ prefix: Data) -> Bool { prefix.starts(with: PNGChunks.signature) }

    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognises(data.prefix(32)) else { throw .malformed(.png, "no PNG signature") }
        return try OpenedPNG(data, limits: limits)
    }
}
