public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Encodes GIF89a images, still and animated, with a palette for each frame.
///
/// Images with up to 256 colors are stored exactly. Other images are reduced by median cut (Heckbert 1982), with
/// Floyd–Steinberg dithering. Alpha is reduced to one bit: pixels with alpha below 128 become transparent.
/// Transparency takes one of the 256 colors.
public struct GIFEncoder: ImageEncoder {
    /// Creates an encoder.
    public init() {}

    /// `.gif`.
    public var format: ImageFormat { .gif }

    /// Encodes a still image. `isProgressive` interlaces it; the other options are ignored.
    ///
    /// - Throws: `.unsupportedSize` if a side is not from 1 to 65,535 pixels.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        try encode([AnimationFrame(bitmap: bitmap, delay: .zero)], loopCount: 1, options: options)
    }

    /// Encodes an animation. Delays are rounded to hundredths of a second and limited to 655.35 seconds.
    ///
    /// Frames of an opaque animation store only the rectangle that changed. If a frame has transparent pixels, all
    /// frames are stored whole and the canvas is cleared between them.
    ///
    /// - Parameters:
    ///   - frames: One or more frames of the same size.
    ///   - loopCount: The number of times the animation plays, up to 65,536; 0 to loop forever.
    /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data {
        guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
            throw .inconsistentFrames
        }
        guard (1...65_535).contains(size.width), (1...65_535).contains(size.height) else {
            throw .unsupportedSize(.gif, size)
        }
        let writer = try GIFWriter(size: size, repetitions: Self.repetitions(loopCount))
        let isOpaque = frames.allSatisfy { $0.bitmap.isOpaque }
        var previous: Bitmap?
        for frame in frames {
            let area = isOpaque ? frame.bitmap.changedArea(since: previous) : PixelArea(size)
            let image = IndexedImage(frame.bitmap, area: area)
            try writer.put(
                image, at: area, delay: frame.delay, clears: !isOpaque && frames.count > 1,
                isInterlaced: options.isProgressive)
            previous = frame.bitmap
        }
        return try writer.finish()
    }

    /// The value of the loop extension: the repetitions after the first play, 0 to loop forever, nil to omit the
    /// extension.
    private static func repetitions(_ loopCount: Int) -> Int? {
        switch loopCount {
        case ...0: 0
        case 1: nil
        default: min(loopCount - 1, 65_535)
        }
    }
}
