public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes JPEG (ITU-T T.81): baseline, extended and progressive, Huffman or arithmetic coded, 8 bits a channel, in
/// grey, colour (YCbCr or RGB) and ink (CMYK or YCCK).
///
/// Scales to 1/2, 1/4 and 1/8 while decoding. Rows leave as they are decoded; an image of one scan needs memory for a few
/// rows, one of several scans (progressive) for all its coefficients, which the limits count as `decodedBytes`.
///
/// Damaged entropy-coded data shows as damaged pixels, as it does in browsers; data that ends early is `.truncated`, unless
/// the end marker alone is missing.
public struct JPEGDecoder: IncrementalImageDecoder {
    public init() {}

    public var format: ImageFormat { .jpeg }

    /// True for a start-of-image marker and the first byte of another.
    public func recognises(_ prefix: Data) -> Bool { prefix.starts(with: [0xFF, 0xD8, 0xFF]) }

    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognises(data.prefix(32)) else { throw .malformed(.jpeg, "no start-of-image marker") }
        return try OpenedJPEG(data, limits: limits)
    }

    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalJPEG(limits: limits) }
}
