public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes WebP (RFC 9649): lossy, lossless, with alpha, profile and Exif orientation, still and animated.
///
/// libwebp decodes whole images, so a decode needs memory for the RGBA image, and more than twice as much if the image
/// is lossless or lossy with alpha. An animation also needs a canvas. `DecodingLimits.decodedBytes` is checked before
/// memory is allocated, including the Huffman tables of lossless images.
///
/// Lossy still images without alpha can be decoded with half the sides, which needs 1.5 bytes per stored pixel: each
/// pixel has the mean of four samples of luma, and the one sample of each chroma plane. The scaling in libwebp is not
/// used, because it saves no time and has low quality.
///
/// Animations play as in browsers: the canvas starts transparent, whatever the background color of the file, and delays
/// up to 10 ms become 100 ms.
public struct WebPDecoder: ImageDecoder {
    private let pool: PixelBufferPool?

    /// Creates a decoder.
    ///
    /// - Parameter pool: Provides the memory of still images and takes it back. Use the pool of the cache that stores
    ///   them.
    public init(pool: PixelBufferPool? = nil) { self.pool = pool }

    /// `.webp`.
    public var format: ImageFormat { .webp }

    public func using(_ pool: PixelBufferPool) -> WebPDecoder { WebPDecoder(pool: self.pool ?? pool) }

    /// Returns whether the data starts with the signatures `RIFF` and `WEBP`.
    public func recognizes(_ prefix: Data) -> Bool {
        prefix.starts(with: "RIFF".utf8) && prefix.dropFirst(8).starts(with: "WEBP".utf8)
    }

    /// Checks the whole container. Decodes no pixels. A truncated file is accepted if its header is complete.
    ///
    /// - Throws: `.malformed`, `.truncated`, `.unsupported` or `.limitExceeded`.
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) -> any OpenedImage {
        try limits.check(.encodedBytes, data.count)
        guard recognizes(data.prefix(12)) else {
            throw data.count < 12 ? .truncated(.webp) : .malformed(.webp, "the RIFF and WEBP signatures are missing")
        }
        let structure = try WebPStructure(inspecting: data, limits: limits)
        return OpenedWebP(data: data, structure: structure, limits: limits, pool: pool)
    }
}

extension WebPDecoder: IncrementalImageDecoder {
    /// Creates an image without bytes. Previews show the rows of still images. Use `open` for animations and for
    /// metadata after the pixels.
    public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage { IncrementalWebP(limits: limits) }
}
