public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes JPEG (ITU-T T.81): baseline, extended and progressive, with Huffman or arithmetic coding and 8 bits per
/// channel.
///
/// Supports gray, YCbCr, RGB, CMYK and YCCK. Scales to 1/2, 1/4 and 1/8 while decoding. Rows are delivered as they are
/// decoded. An image with one scan needs memory for a few rows. An image with several scans, such as a progressive one,
/// needs memory for all coefficients, which `DecodingLimits.decodedBytes` limits.
///
/// Damaged entropy-coded data decodes to damaged pixels, as in browsers. Data that ends early is `.truncated`, unless
/// only the end marker is missing.
public struct JPEGDecoder: IncrementalImageDecoder {
    /// Creates a decoder. It has no state.
    public init() {}

    /// `.jpeg`.
    public var format: ImageFormat { .jpeg }

    /// Returns whether the data starts with a start-of-image marker and the first byte of another marker.
    public func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: [0xFF, 0xD8, 0xFF]) }

    /// Reads the header.
    ///
    /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(32)) else { throw .malformed(.jpeg, "the start-of-image marker is missing") }
        return try OpenedJPEG(data, limits: limits)
    }

    /// Creates an image without bytes. Previews show rows, or complete scans if there are several.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalJPEG(limits: limits) }
}
