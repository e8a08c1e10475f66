#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes images of any known format to the requested size. A loader has one such decoder.
///
/// Promises:
/// - The format is recognized by its signature.
/// - The result is upright, in sRGB, and has the size `DecodingRequest.outputSize(for:)`.
/// - Memory is bounded by the limits; malformed data is a typed error, also when truncated images are accepted.
/// - Methods are synchronous and CPU-bound: don't call them on the main actor. `isCancelled` is called between rows.
public protocol SizedImageDecoder: Sendable {
    /// Reads the header only.
    func header(of data: Data) throws(DecodingFailure) -> ImageHeader

    /// Decodes an image. Throws `.cancelled` soon after `isCancelled` returns true.
    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage
}

/// The frame to decode, and the size to which to decode it.
public struct DecodingRequest: Hashable, Sendable {
    /// The target; nil for the stored size.
    public var target: ImageTarget?
    /// The frame of an animation, from 0.
    public var frame: Int
    /// Whether to return the decodable part of a truncated file instead of throwing `.truncated`.
    public var acceptsTruncated: Bool

    /// Creates a request; by default for the first frame at the stored size.
    public init(target: ImageTarget? = nil, frame: Int = 0, acceptsTruncated: Bool = false) {
        self.target = target
        self.frame = frame
        self.acceptsTruncated = acceptsTruncated
    }
}

extension DecodingRequest {
    /// The preference of the target. `.quality` without a target.
    public var preference: DecodingPreference { target?.preference ?? .quality }
}

/// The size to which an image is decoded, and how the image fits it.
public struct ImageTarget: Hashable, Sendable {
    /// The way in which the image fits the size.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The whole image fits in the size. The aspect ratio is kept.
        case fit
        /// The image covers the size and is cropped evenly. The aspect ratio is kept.
        case fill
    }

    /// The size in pixels.
    public var size: PixelSize
    /// The way in which the image fits the size.
    public var mode: Mode
    /// Whether smaller images are enlarged.
    public var upscales: Bool
    /// Whether quality or speed is preferred.
    public var preference: DecodingPreference

    /// Creates a target from a size in pixels.
    public init(
        _ size: PixelSize, mode: Mode = .fit, upscales: Bool = false, preference: DecodingPreference = .quality
    ) {
        self.size = size
        self.mode = mode
        self.upscales = upscales
        self.preference = preference
    }

    /// Creates a target from a size in points and the scale of the screen.
    ///
    /// Sides are rounded to whole pixels and clamped to 1...65,535. NaN counts as 1.
    public init(
        points: (width: Double, height: Double), scale: Double, mode: Mode = .fit, upscales: Bool = false,
        preference: DecodingPreference = .quality
    ) {
        func pixels(_ side: Double) -> Int {
            let length = (side * scale).rounded()
            return length.isNaN ? 1 : Int(min(max(length, 1), 65_535))
        }
        self.init(
            PixelSize(width: pixels(points.width), height: pixels(points.height)), mode: mode, upscales: upscales,
            preference: preference)
    }
}

/// Whether quality or speed is preferred when an image is decoded to a smaller size.
public enum DecodingPreference: String, Hashable, Sendable, CaseIterable {
    /// The result equals that of resampling the whole image, within the precision of 8 bits.
    case quality
    /// The result is sufficient for thumbnails in a fast list. Fine details are not decoded.
    case speed
}
