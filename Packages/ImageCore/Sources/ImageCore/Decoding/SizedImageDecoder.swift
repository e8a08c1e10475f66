#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes encoded pictures of any known format straight to the size that is needed: the port that a loader uses.
///
/// Promises:
/// - The format is found by signature.
/// - The result is upright, in sRGB, at the size that `DecodingRequest.outputSize(for:)` tells.
/// - Memory is bounded by the limits; malformed data is a typed error.
/// - Synchronous and processor-bound: call it where that is welcome. `isCancelled` is asked between rows.
public protocol SizedImageDecoder: Sendable {
    /// Reads the header alone.
    func header(of data: Data) throws(DecodingFailure) -> ImageHeader

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage
}

/// How large a picture is wanted.
public struct DecodingRequest: Hashable, Sendable {
    /// The target, or nil for the size as stored.
    public var target: ImageTarget?
    /// The frame of an animation, from 0.
    public var frame: Int

    public init(target: ImageTarget? = nil, frame: Int = 0) {
        self.target = target
        self.frame = frame
    }
}

/// A size to which a picture is decoded, and how it is to relate to it.
public struct ImageTarget: Hashable, Sendable {
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The whole picture within the target, proportions kept: neither side exceeds it.
        case fit
        /// The target covered, proportions kept, what is beyond it cropped evenly from both sides.
        case fill
    }

    public var size: PixelSize
    public var mode: Mode
    /// Whether a picture smaller than the target is enlarged. Off by default.
    public var upscales: Bool

    public init(_ size: PixelSize, mode: Mode = .fit, upscales: Bool = false) {
        self.size = size
        self.mode = mode
        self.upscales = upscales
    }
}

/// A picture as it leaves the decoder.
public struct DecodedImage: Hashable, Sendable {
    /// Upright, sRGB, straight alpha.
    public var bitmap: Bitmap
    public var header: ImageHeader

    public init(bitmap: Bitmap, header: ImageHeader) {
        self.bitmap = bitmap
        self.header = header
    }

    /// What the picture costs in memory, in bytes.
    public var byteCount: Int { bitmap.byteCount + (header.colorProfile?.count ?? 0) }
}
