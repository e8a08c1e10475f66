import CImageCodecWebP
public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes WebP images, lossy and lossless, still and animated. Alpha is kept in all of them.
///
/// Lossless brings back every byte, the colour of transparent pixels included. `isProgressive` means nothing here.
public struct WebPEncoder: ImageEncoder {
    /// Width and height that the format can hold, each.
    private static let largestSide = 16_383

    /// Makes an encoder; it holds no state.
    public init() {}

    public var format: ImageFormat { .webp }

    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        try check(bitmap.size)
        return try EncodedWebP(bitmap, area: PixelArea(bitmap.size), options: options).data
    }

    /// Delays are rounded to milliseconds, of which a frame can stay 16,777,215 at most; the loop count ends at 65,535.
    ///
    /// Every frame becomes one frame of the file, also when it equals the one before. A frame holds only the rectangle
    /// that changed, and replaces what was there.
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
    /// The smallest rectangle around this one whose left and top are even, as frames of an animation have to be.
    var startingEven: PixelArea {
        PixelArea(left: left & ~1, top: top & ~1, width: width + left % 2, height: height + top % 2)
    }
}
