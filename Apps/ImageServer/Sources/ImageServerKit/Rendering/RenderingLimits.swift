import ImageCore

/// The limits of sources and results. The defaults need up to 1 GB for one rendering, beside its worker.
struct RenderingLimits: Hashable, Sendable {
    /// The largest source in bytes.
    var sourceBytes = 32 << 20
    /// The largest source in pixels: width times height of one frame.
    var sourcePixels = 50_000_000
    /// The largest frame of an animation in pixels; nil for `sourcePixels`.
    var framePixels: Int?
    /// The most frames of an animation. Further frames are not delivered.
    var frames = 100
    /// The most pixels of all frames of an animated source that are decoded: one frame at least.
    var animationPixels = 250_000_000
    /// The most pixels of all frames of a result together.
    var resultPixels = 50_000_000
    /// The most pixels of all frames of an animation that is encoded in two formats, of which the smaller file is sent.
    var comparedPixels = 10_000_000
    /// The longest side of a result in pixels.
    var resultSide = 8_192
    /// The largest result in bytes.
    var resultBytes = 32 << 20
    /// The memory of one decode in bytes, for the larger one of the source and the result.
    ///
    /// A progressive CMYK JPEG needs 8 bytes per pixel for its coefficients, and 4 for the result of its size. libwebp
    /// also needs tables, 64 MB for more than 3,000 groups of codes.
    var decodedBytes: Int { max(sourcePixels, resultPixels) * 12 + (64 << 20) }

    /// The number of frames of an animation that are delivered.
    func frameCount(of header: ImageHeader) -> Int {
        min(header.frameCount, frames, max(1, animationPixels / max(1, header.size.area)))
    }

    /// Returns the limits with those of a URL in their place.
    func replaced(by limits: ProcessingOptions.Limits) -> RenderingLimits {
        var result = self
        result.sourcePixels = limits.sourcePixels ?? sourcePixels
        result.sourceBytes = limits.sourceBytes ?? sourceBytes
        result.frames = limits.frames ?? frames
        result.framePixels = limits.framePixels.map { $0 > 0 ? $0 : nil } ?? framePixels
        result.resultSide = limits.resultSide ?? resultSide
        return result
    }

    /// Throws if a frame of an animation is larger than its limit.
    func checkFrames(of header: ImageHeader) throws(ImageDecodingError) {
        guard let framePixels, min(header.frameCount, frames) > 1, header.size.area > framePixels else { return }
        throw .limitExceeded(.pixels, value: header.size.area, allowed: framePixels)
    }

    /// The limits of the decoder.
    var decoding: DecodingLimits {
        var limits = DecodingLimits.default
        limits.encodedByteLimit = sourceBytes
        limits.maxPixels = sourcePixels
        limits.decodedByteLimit = decodedBytes
        return limits
    }

    /// The limits of a decoder in a worker: libjxl needs 52 bytes per pixel for a progressive lossy image with transparency.
    var worker: DecodingLimits {
        var limits = decoding
        limits.decodedByteLimit = max(decodedBytes, sourcePixels * 52)
        return limits
    }

    /// The memory of a worker in bytes: for libraries, fonts and the groups of a drawing, for the decoder, or for libjxl, which
    /// encodes with 90 bytes per pixel.
    var workerBytes: Int { 768 << 20 + max(worker.decodedByteLimit, resultPixels * 90) }

    /// The limits of resizing a decoded image.
    var resizing: DecodingLimits {
        var limits = decoding
        limits.maxPixels = max(sourcePixels, resultPixels)
        return limits
    }
}
