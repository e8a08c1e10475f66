#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes encoded images of any known format straight to the size that is needed: the port that a loader uses.
///
/// Promises:
/// - The format is found by signature.
/// - The result is upright, in sRGB, at the size that `DecodingRequest.outputSize(for:)` tells.
/// - Memory is bounded by the limits; malformed data is a typed error, also when truncated images are accepted.
/// - Synchronous and processor-bound: call it where that is welcome. `isCancelled` is asked between rows.
public protocol SizedImageDecoder: Sendable {
    /// Reads the header alone.
    func header(of data: Data) throws(DecodingFailure) -> ImageHeader

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage
}

/// How large an image is wanted.
public struct DecodingRequest: Hashable, Sendable {
    /// The target, or nil for the size as stored.
    public var target: ImageTarget?
    /// The frame of an animation, from 0.
    public var frame: Int
    /// Whether a file that ends too early gives what could be decoded of it instead of `.truncated`.
    public var acceptsTruncated: Bool

    public init(target: ImageTarget? = nil, frame: Int = 0, acceptsTruncated: Bool = false) {
        self.target = target
        self.frame = frame
        self.acceptsTruncated = acceptsTruncated
    }
}

extension DecodingRequest {
    /// The preference of the target; at the stored size nothing is given up.
    public var preference: DecodingPreference { target?.preference ?? .quality }
}

/// A size to which an image is decoded, and how it is to relate to it.
public struct ImageTarget: Hashable, Sendable {
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The whole image within the target, proportions kept: neither side exceeds it.
        case fit
        /// The target covered, proportions kept, what is beyond it cropped evenly from both sides.
        case fill
    }

    public var size: PixelSize
    public var mode: Mode
    /// Whether an image smaller than the target is enlarged. Off by default.
    public var upscales: Bool
    /// What to give up when quality and speed can't both be had. Quality by default.
    public var preference: DecodingPreference

    public init(
        _ size: PixelSize, mode: Mode = .fit, upscales: Bool = false, preference: DecodingPreference = .quality
    ) {
        self.size = size
        self.mode = mode
        self.upscales = upscales
        self.preference = preference
    }

    /// A size in points on a screen of so many pixels a point, as views know theirs.
    ///
    /// Sides are rounded to whole pixels, and kept between 1 and 65,535: a view that has no size yet is no reason to decode a
    /// image as stored. What is no number counts as 1.
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

/// What matters more when an image is decoded to a smaller size.
public enum DecodingPreference: String, Hashable, Sendable, CaseIterable {
    /// As good as resampling the whole image, as far as 8 bits can tell.
    case quality
    /// Good enough for thumbnails in a fast list: details beyond the size that is needed are not read.
    case speed
}
