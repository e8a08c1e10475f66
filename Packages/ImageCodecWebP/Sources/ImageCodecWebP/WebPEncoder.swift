import CImageCodecWebP
public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Encodes WebP, lossy and lossless, still and animated, with alpha.
///
/// Lossless encoding preserves every byte, including the color of transparent pixels. `isProgressive` is ignored.
public struct WebPEncoder: ImageEncoder {
    /// The maximum width and height of the format.
    private static let largestSide = 16_383

    /// Creates an encoder. It has no state.
    public init() {}

    /// `.webp`.
    public var format: ImageFormat { .webp }

    /// True.
    public var keepsAlpha: Bool { true }

    /// Encodes a still image.
    ///
    /// - Throws: `.unsupportedSize` if a side is not from 1 to 16,383 pixels.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        try check(bitmap.size)
        return try EncodedWebP(bitmap, area: PixelArea(bitmap.size), options: options).data
    }

    /// Encodes an animation. Delays are rounded to milliseconds and limited to 16,777,215 ms.
    ///
    /// Every frame is stored, even if it equals the previous one. A frame stores only the rectangle that changed.
    ///
    /// - Parameters:
    ///   - frames: One or more frames of the same size.
    ///   - loopCount: The number of times the animation plays, up to 65,535; 0 to loop forever.
    /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data {
        guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
            throw .inconsistentFrames
        }
        try check(size)
        let animation = try WebPAnimation(size: size, loopCount: min(max(loopCount, 0), 65_535))
        var previous: Bitmap?
        for frame in frames {
            let area = frame.bitmap.changedArea(since: previous).startingEven
            let image = try EncodedWebP(frame.bitmap, area: area, options: options)
            try animation.add(image, at: area, delay: frame.delay)
            previous = frame.bitmap
        }
        return try animation.finish()
    }

    private func check(_ size: PixelSize) throws(EncodingFailure) {
        let range = 1...Self.largestSide
        guard range.contains(size.width), range.contains(size.height) else { throw .unsupportedSize(.webp, size) }
    }
}

extension PixelArea {
    /// The smallest enclosing rectangle with even left and top, as the format requires for frames.
    var startingEven: PixelArea {
        PixelArea(left: left & ~1, top: top & ~1, width: width + left % 2, height: height + top % 2)
    }
}
