public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Opens WebP images (RFC 9649): lossy, lossless, with alpha, profile and Exif orientation, still and animated.
///
/// Memory: libwebp writes no rows, only whole images, so a decode holds the image as RGBA (and more than the same
/// again for a lossless one, or a lossy one with alpha). An animation holds its canvas besides. All of it counts against
/// `DecodingLimits.decodedBytes` before any of it is taken, the Huffman tables of a lossless image included.
///
/// Images are decoded at their stored size alone: libwebp can scale, but saves no time by it and is of poor quality.
///
/// Animations follow browsers: the canvas starts transparent whatever background colour the file asks for, and delays
/// up to 10 ms become 100 ms.
public struct WebPDecoder: ImageDecoder {
    private let pool: PixelBufferPool?

    /// - Parameter pool: Provides the memory of still images and takes it back. Use the pool of the cache that stores them.
    public init(pool: PixelBufferPool? = nil) { self.pool = pool }

    public var format: ImageFormat { .webp }

    public func recognises(_ prefix: Data) -> Bool {
        prefix.starts(with: "RIFF".utf8) && prefix.dropFirst(8).starts(with: "WEBP".utf8)
    }

    /// Checks the whole container. A file that is cut off is refused here only where its header is. Decodes no pixel.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognises(data.prefix(12)) else {
            throw data.count < 12 ? .truncated(.webp) : .malformed(.webp, "the signature is not RIFF and WEBP")
        }
        let structure = try WebPStructure(inspecting: data, limits: limits)
        return OpenedWebP(data: data, structure: structure, limits: limits, pool: pool)
    }
}

extension WebPDecoder: IncrementalImageDecoder {
    /// Still images by rows. Animations, and metadata behind the pixels, are for `open`.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalWebP(limits: limits) }
}
