public import ImageCore

/// The limits of sources and results. The defaults need up to 500 MB for one rendering.
public struct RenderingLimits: Hashable, Sendable {
    /// The largest source in bytes.
    public var sourceBytes = 32 << 20
    /// The largest source in pixels: width times height of one frame.
    public var sourcePixels = 50_000_000
    /// The most frames of an animation. Further frames are not delivered.
    public var frames = 100
    /// The most pixels of all frames of an animated source that are decoded: one frame at least.
    public var animationPixels = 250_000_000
    /// The most pixels of all frames of a result together.
    public var resultPixels = 50_000_000
    /// The longest side of a result in pixels.
    public var resultSide = 8_192
    /// The largest result in bytes.
    public var resultBytes = 32 << 20
    /// The memory of one decode in bytes, for the larger one of the source and the result.
    ///
    /// An interlaced PNG and a lossless WebP are held as a whole beside the result of their size, with 4 bytes per
    /// pixel each. libwebp also needs tables, 64 MB for more than 3,000 groups of codes.
    var decodedBytes: Int { max(sourcePixels, resultPixels) * 8 + (64 << 20) }

    /// The number of frames of an animation that are delivered.
    func frameCount(of header: ImageHeader) -> Int {
        min(header.frameCount, frames, max(1, animationPixels / max(1, header.size.area)))
    }

    /// The limits of the decoder.
    public var decoding: DecodingLimits {
        var limits = DecodingLimits.default
        limits.encodedBytes = sourceBytes
        limits.pixels = sourcePixels
        limits.decodedBytes = decodedBytes
        return limits
    }

    /// The limits of resizing a decoded image.
    var resizing: DecodingLimits {
        var limits = decoding
        limits.pixels = max(sourcePixels, resultPixels)
        return limits
    }
}
