public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes GIF89a images, still and animated, with a palette of its own for each frame.
///
/// Up to 256 colours are kept as they are. More are reduced by median cut, and the error spread over the neighbours
/// (Floyd and Steinberg 1976) unless that is turned off. Alpha becomes all or nothing: below 128 a pixel is transparent,
/// which takes one of the 256 colours.
public struct GIFEncoder: ImageEncoder {
    private let dithers: Bool

    /// - Parameter dithers: whether the error of colour reduction is spread. Looks better, and makes larger files.
    public init(dithers: Bool = true) { self.dithers = dithers }

    public var format: ImageFormat { .gif }

    /// `isProgressive` interlaces; quality means nothing here.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        try encode([AnimationFrame(bitmap: bitmap, delay: .zero)], loopCount: 1, options: options)
    }

    /// Delays are rounded to hundredths of a second, of which a frame can stay 65,535 at most.
    ///
    /// Frames of an opaque animation hold only the rectangle that changed. Where a frame has transparent pixels, all
    /// are whole and the canvas is cleared between them.
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
            let image = IndexedImage(frame.bitmap, area: area, dithers: dithers)
            try writer.put(
                image, at: area, delay: frame.delay, clears: !isOpaque && frames.count > 1,
                isInterlaced: options.isProgressive)
            previous = frame.bitmap
        }
        return try writer.finish()
    }

    /// What the loop extension says: plays after the first; nil for none, 0 for ever.
    private static func repetitions(_ loopCount: Int) -> Int? {
        switch loopCount {
        case ...0: 0
        case 1: nil
        default: min(loopCount - 1, 65_535)
        }
    }
}
