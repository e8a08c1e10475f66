/// Encodes one file format.
///
/// Promises:
/// - A file describes the color space of its image. If the format can't, the image is converted to sRGB.
/// - Files without a description are in sRGB, so images in sRGB need no ICC profile.
/// - The alpha of an image that is marked as opaque is ignored.
public protocol ImageEncoder: Sendable {
    /// The format that it encodes.
    var format: ImageFormat { get }

    /// Whether its files keep partly transparent pixels. False by default, so that nothing is lost: the disk cache then
    /// stores images with alpha as received.
    var keepsAlpha: Bool { get }

    /// Returns a complete file. The same image and options give the same bytes with one version of the library. Throws
    /// `.cancelled` soon after the current task is cancelled, as far as the encoding library allows it.
    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data

    /// Returns a complete animated file.
    ///
    /// - Parameters:
    ///   - frames: The frames, all of the same size. They are stored in the largest of their color spaces.
    ///   - loopCount: The number of times that the animation plays; 0 to repeat it forever.
    ///   - options: The quality of lossy formats, and how the file is arranged.
    /// - Throws: `.animationUnsupported` if the format or the library doesn't support animations. By default, one frame
    ///   is encoded as a still image, and several frames are not supported.
    func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data
}

extension ImageEncoder {
    public var keepsAlpha: Bool { false }

    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        guard let first = frames.first else { throw .inconsistentFrames }
        if frames.count > 1 { throw .animationUnsupported(format) }
        return try encode(first.bitmap, options: options)
    }

    /// Throws `.unsupportedSize` unless both sides are from 1 to `largest`.
    package func check(_ size: PixelSize, largest: Int) throws(ImageEncodingError) {
        guard (1...largest).contains(size.width), (1...largest).contains(size.height) else {
            throw .unsupportedSize(format, size)
        }
    }

    /// Throws `.cancelled` if the current task is cancelled.
    package func checkCancellation() throws(ImageEncodingError) {
        if Task.isCancelled { throw .cancelled }
    }

    /// Returns the size of all frames. Throws `.inconsistentFrames` if there are none or their sizes differ.
    package func commonSize(of frames: [AnimationFrame]) throws(ImageEncodingError) -> PixelSize {
        guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
            throw .inconsistentFrames
        }
        return size
    }
}

/// A frame of an animation.
public struct AnimationFrame: Hashable, Sendable {
    /// The image of the whole canvas.
    public var bitmap: Bitmap
    /// The time for which the frame is shown.
    public var delay: Duration

    /// Creates a frame.
    public init(bitmap: Bitmap, delay: Duration) {
        self.bitmap = bitmap
        self.delay = delay
    }
}

extension [AnimationFrame] {
    /// The frames in the largest of their color spaces.
    package var inOneColorSpace: (frames: [AnimationFrame], space: ColorSpace) {
        let spaces = Set(map(\.bitmap.colorSpace))
        let space = ColorSpace.allCases.last { spaces.contains($0) } ?? .sRGB
        return (converted(to: space), space)
    }

    /// Returns the frames in a color space, without hidden alpha.
    package func converted(to space: ColorSpace) -> [AnimationFrame] {
        map { AnimationFrame(bitmap: $0.bitmap.withoutHiddenAlpha.converted(to: space), delay: $0.delay) }
    }
}

/// Options of an encoder. It ignores those that its format does not support.
public struct EncodingOptions: Hashable, Sendable {
    /// The quality of lossy formats, from 0 (smallest file) to 1 (best image). Other values, such as 85 for 85%, trap.
    public var quality: Double { didSet { Self.check(quality) } }
    /// Whether to compress losslessly, in formats that support both (WebP).
    public var isLossless: Bool
    /// Whether the file is progressive (JPEG) or interlaced (PNG, GIF).
    public var isProgressive: Bool

    /// Creates options. The defaults suit photographs.
    ///
    /// - Parameters:
    ///   - quality: From 0 to 1. Other values trap.
    ///   - isLossless: Whether to compress losslessly, in formats that support both.
    ///   - isProgressive: Whether the file is progressive (JPEG) or interlaced (PNG, GIF).
    public init(quality: Double = 0.85, isLossless: Bool = false, isProgressive: Bool = false) {
        Self.check(quality)
        self.quality = quality
        self.isLossless = isLossless
        self.isProgressive = isProgressive
    }

    private static func check(_ quality: Double) {
        precondition((0...1).contains(quality), "a quality is from 0 to 1, not \(quality)")
    }

    /// Returns the value of a scale at the quality, between its nearest two.
    ///
    /// - Parameter scale: The values at the qualities 0, 0.1 and so on to 1.
    package func quality(onScale scale: [Double]) -> Double {
        let index = min(Int(quality * 10), 9)
        return scale[index] + (quality * 10 - Double(index)) * (scale[index + 1] - scale[index])
    }
}

/// Why an image could not be encoded.
@nonexhaustive
public enum ImageEncodingError: Error, Hashable, Sendable {
    /// None of the encoders writes this format.
    case noEncoder(ImageFormat)
    /// The format can't hold an image of this size.
    case unsupportedSize(ImageFormat, PixelSize)
    /// The format or the library doesn't support animations.
    case animationUnsupported(ImageFormat)
    /// There are no frames, or frames of different sizes.
    case inconsistentFrames
    /// The task was cancelled.
    case cancelled
    /// The encoding library failed. The text is for humans.
    case failed(ImageFormat, String)
}

extension ImageEncodingError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .noEncoder(let format): "there is no encoder for \(format)"
        case .unsupportedSize(let format, let size):
            "\(format) can't hold an image of \(size) pixels\(format.sizeLimit)"
        case .animationUnsupported(let format): "\(format) can't hold an animation, or its library can't write one"
        case .inconsistentFrames: "an animation needs frames of one size"
        case .cancelled: "cancelled"
        case .failed(let format, let text): "\(format) was not written: \(text)"
        }
    }
}

extension ImageFormat {
    /// The limit of the encoder of this package, for a message.
    fileprivate var sizeLimit: String {
        let largest: [ImageFormat: Int] = [
            .jpeg: 65_500, .gif: 65_535, .webP: 16_383, .avif: 65_536, .heic: 16_384, .jpegXL: 262_144,
        ]
        guard let side = largest[self] else { return "" }
        return ": each side has from 1 to \(side)\(self == .jpegXL ? ", and the area at most \(1 << 28)" : "")"
    }
}
