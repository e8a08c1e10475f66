#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Encodes one file format.
public protocol ImageEncoder: Sendable {
    /// The format that it encodes.
    var format: ImageFormat { get }

    /// Returns a complete file. The same image and options give the same bytes with one version of the library.
    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data

    /// Returns a complete animated file.
    ///
    /// - Parameters:
    ///   - frames: The frames, all of the same size.
    ///   - loopCount: How often the animation plays; 0 for ever.
    /// - Throws: `.animationUnsupported` if the format or the library has no animations.
    func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data
}

/// A frame of an animation.
public struct AnimationFrame: Hashable, Sendable {
    /// The whole canvas.
    public var bitmap: Bitmap
    /// How long the frame is shown.
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
    /// The format or the library has no animations.
    case animationUnsupported(ImageFormat)
    /// No frames, or frames of different sizes.
    case inconsistentFrames
    /// The library refused. The text is for people.
    case failed(ImageFormat, String)
}
