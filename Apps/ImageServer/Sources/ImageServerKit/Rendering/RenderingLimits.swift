public import ImageCore

/// The limits of sources and results.
public struct RenderingLimits: Hashable, Sendable {
    /// The largest source in bytes.
    public var sourceBytes: Int
    /// The largest source in pixels: width times height of one frame.
    public var sourcePixels: Int
    /// The most frames of an animation. Further frames are not delivered.
    public var frames: Int
    /// The most pixels of all frames of a result together.
    public var resultPixels: Int
    /// The longest side of a result in pixels.
    public var resultSide: Int
    /// The largest result in bytes.
    public var resultBytes: Int
    /// The memory of one decode in bytes.
    public var decodedBytes: Int

    /// Creates limits. The defaults need up to 400 MB for one rendering.
    public init(
        sourceBytes: Int = 32 << 20, sourcePixels: Int = 50_000_000, frames: Int = 100,
        resultPixels: Int = 50_000_000, resultSide: Int = 8_192, resultBytes: Int = 32 << 20,
        decodedBytes: Int = 256 << 20
    ) {
        (self.sourceBytes, self.sourcePixels, self.frames) = (sourceBytes, sourcePixels, frames)
        (self.resultPixels, self.resultSide, self.resultBytes) = (resultPixels, resultSide, resultBytes)
        self.decodedBytes = decodedBytes
    }

    /// The limits of the decoder.
    public var decoding: DecodingLimits {
        var limits = DecodingLimits.default
        (limits.encodedBytes, limits.pixels, limits.decodedBytes) = (sourceBytes, sourcePixels, decodedBytes)
        return limits
    }
}
