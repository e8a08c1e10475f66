public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Opens WebP pictures (RFC 9649): lossy, lossless, with alpha, profile and Exif orientation, still and animated.
///
/// Memory: libwebp writes no rows, only whole pictures, so a decode holds the picture as RGBA (and more than the same
/// again for a lossless one, or a lossy one with alpha). An animation holds its canvas besides. All of it counts against
/// `DecodingLimits.decodedBytes` before any of it is taken; the Huffman tables of a lossless picture do not: a file made
/// for that can have 550 MB of them.
///
/// Pictures are decoded at their stored size alone: libwebp can scale, but saves no time by it and is of poor quality.
///
/// Animations follow browsers: the canvas starts transparent whatever background colour the file asks for, and delays
/// up to 10 ms become 100 ms.
public struct WebPDecoder: ImageDecoder {
    /// Makes a decoder; it holds no state.
    public init() {}

    public var format: ImageFormat { .webp }

    public func recognises(_ prefix: Data) -> Bool {
        prefix.starts(with: "RIFF".utf8) && prefix.dropFirst(8).starts(with: "WEBP".utf8)
    }

    /// Checks the whole container, so that a file that is cut off is refused here. Decodes no pixel.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognises(data.prefix(12)) else {
            throw data.count < 12 ? .truncated(.webp) : .malformed(.webp, "the signature is not RIFF and WEBP")
        }
        let structure = try WebPStructure(inspecting: data, limits: limits)
        return OpenedWebP(data: data, structure: structure, limits: limits)
    }
}
