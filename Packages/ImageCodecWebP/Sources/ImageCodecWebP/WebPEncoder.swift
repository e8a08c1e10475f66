import CImageCodecWebP
public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes WebP pictures, lossy and lossless, still and animated. Alpha is kept in all of them.
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
        return try EncodedWebP(bitmap, area: WebPArea(bitmap.size), options: options).data
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
            let area = frame.bitmap.changedArea(since: previous)
            let picture = try EncodedWebP(frame.bitmap, area: area, options: options)
            try animation.add(picture, at: area, delay: frame.delay)
            previous = frame.bitmap
        }
        return try animation.finish()
    }

    private func check(_ size: PixelSize) throws(EncodingFailure) {
        let range = 1...Self.largestSide
        guard range.contains(size.width), range.contains(size.height) else { throw .unsupportedSize(.webp, size) }
    }
}

/// A rectangle of whole pixels whose left and top are even, as frames of an animation have to be.
struct WebPArea: Equatable {
    var left: Int
    var top: Int
    var width: Int
    var height: Int
}

extension WebPArea {
    init(_ size: PixelSize) { self.init(left: 0, top: 0, width: size.width, height: size.height) }
}

extension Bitmap {
    /// The smallest such rectangle outside of which this picture equals `other`; one pixel when they are the same.
    func changedArea(since other: Bitmap?) -> WebPArea {
        guard let other else { return WebPArea(size) }
        let (new, old) = (pixels.span, other.pixels.span)
        var (left, right, top, bottom) = (size.width, 0, size.height, 0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let offset = (y * size.width + x) * 4
                guard (0..<4).contains(where: { new[offset + $0] != old[offset + $0] }) else { continue }
                (left, right) = (min(left, x), max(right, x + 1))
                (top, bottom) = (min(top, y), y + 1)
            }
        }
        guard left < right else { return WebPArea(left: 0, top: 0, width: 1, height: 1) }
        (left, top) = (left & ~1, top & ~1)
        return WebPArea(left: left, top: top, width: right - left, height: bottom - top)
    }
}
