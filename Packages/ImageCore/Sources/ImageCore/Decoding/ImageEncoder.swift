#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes images in one file format.
public protocol ImageEncoder: Sendable {
    var format: ImageFormat { get }

    /// A complete file. Deterministic: same image and options, same bytes, with one version of the library.
    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data

    /// A complete animated file. All frames have the size of the first. `loopCount` 0 is for ever.
    ///
    /// Throws `.animationUnsupported` where the format or the library can't.
    func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data
}

/// One full canvas of an animation.
public struct AnimationFrame: Hashable, Sendable {
    public var bitmap: Bitmap
    public var delay: Duration

    public init(bitmap: Bitmap, delay: Duration) {
        self.bitmap = bitmap
        self.delay = delay
    }
}

/// Options of an encoder. It ignores those that its format does not support.
public struct EncodingOptions: Hashable, Sendable {
    /// From 0, smallest file, to 1, best image. Only for lossy formats.
    public var quality: Double
    /// Lossless where the format has a choice (WebP).
    public var isLossless: Bool
    /// Progressive (JPEG) or interlaced (PNG, GIF).
    public var isProgressive: Bool

    public init(quality: Double = 0.85, isLossless: Bool = false, isProgressive: Bool = false) {
        self.quality = quality
        self.isLossless = isLossless
        self.isProgressive = isProgressive
    }
}

/// Why an image could not be written.
public enum EncodingFailure: Error, Hashable, Sendable {
    /// The format can't hold an image of this size.
    case unsupportedSize(ImageFormat, PixelSize)
    case animationUnsupported(ImageFormat)
    /// No frames, or frames of different sizes.
    case inconsistentFrames
    /// The library refused. The text is for people.
    case failed(ImageFormat, String)
}
