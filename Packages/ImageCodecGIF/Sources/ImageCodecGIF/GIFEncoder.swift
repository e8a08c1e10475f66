import CImageCodecGIF
public import ImageCore

/// Encodes GIF89a images, still and animated, with a palette for each frame.
///
/// Images with up to 256 colors are stored exactly. Other images are reduced by median cut (Heckbert 1982), with
/// Floyd–Steinberg dithering. Alpha is reduced to one bit: pixels with alpha below 128 become transparent.
/// Transparency takes one of the 256 colors. Images are converted to sRGB.
public struct GIFEncoder: ImageEncoder {
    /// Creates an encoder.
    public init() {}

    public var format: ImageFormat { .gif }

    /// Encodes a still image. `isProgressive` interlaces it; the other options are ignored.
    ///
    /// - Throws: `.unsupportedSize` if a side is not from 1 to 65,535 pixels.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        try encode([AnimationFrame(bitmap: bitmap, delay: .zero)], loopCount: 1, options: options)
    }

    /// Encodes an animation. Delays are rounded to hundredths of a second, up to 655.35 seconds. `loopCount` is at most
    /// 65,536.
    ///
    /// Frames of an opaque animation store only the rectangle that changed. If a frame has transparent pixels, all
    /// frames are stored whole and the canvas is cleared between them.
    ///
    /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data {
        let size = try commonSize(of: frames)
        try check(size, largest: 65_535)
        let frames = frames.converted(to: .sRGB)
        let writer = try GIFWriter(size: size, repetitions: Self.repetitions(loopCount))
        let isOpaque = frames.allSatisfy { $0.bitmap.isOpaque }
        var previous: Bitmap?
        for frame in frames {
            let area = isOpaque ? frame.bitmap.changedArea(since: previous) : PixelArea(size)
            let image = try IndexedImage(frame.bitmap, area: area)
            try checkCancellation()
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

/// Writes a file with giflib.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
@safe final class GIFWriter {
    private let handle: OpaquePointer

    init(size: PixelSize, repetitions: Int?) throws(EncodingFailure) {
        let handle = unsafe gif_writer_open(CInt(size.width), CInt(size.height), CInt(repetitions ?? -1))
        guard let handle = unsafe handle else { throw Self.failure }
        unsafe self.handle = handle
    }

    deinit { unsafe gif_writer_close(handle) }

    private static var failure: EncodingFailure { .failed(.gif, "giflib could not write the file") }

    func put(
        _ image: IndexedImage, at area: PixelArea, delay: Duration, clears: Bool, isInterlaced: Bool
    ) throws(EncodingFailure) {
        var frame = gif_writer_frame()
        frame.left = CInt(area.left)
        frame.top = CInt(area.top)
        frame.width = CInt(area.width)
        frame.height = CInt(area.height)
        frame.is_interlaced = isInterlaced ? 1 : 0
        frame.disposal = clears ? 2 : 1
        frame.delay = CInt(delay.hundredths)
        frame.transparent_index = CInt(image.transparentIndex ?? -1)
        let palette = image.paddedPalette
        frame.palette_count = CInt(palette.count / 3)
        precondition(image.indices.count == area.width * area.height, "the number of indices does not match the area")
        let isGood = unsafe gif_writer_put(handle, &frame, palette, image.indices)
        if isGood == 0 { throw Self.failure }
    }

    /// Finishes the file and returns it. Must be the last call.
    func finish() throws(EncodingFailure) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var length = 0
        guard unsafe gif_writer_finish(handle, &bytes, &length) != 0, let bytes = unsafe bytes else {
            throw Self.failure
        }
        return unsafe Data(bytes: bytes, count: length)
    }
}

extension IndexedImage {
    /// The palette as bytes, padded with black to a power of two from 2 to 256 colors, as the format requires.
    fileprivate var paddedPalette: [UInt8] {
        var count = 2
        while count < palette.count { count *= 2 }
        return palette.flatMap { [$0.x, $0.y, $0.z] } + [UInt8](repeating: 0, count: 3 * (count - palette.count))
    }
}

extension Duration {
    /// The duration in hundredths of a second, rounded and clamped to 0...65,535.
    fileprivate var hundredths: Int {
        let (seconds, attoseconds) = limited.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 656 else { return 65_535 }
        return min(Int(seconds) * 100 + Int((attoseconds + 5_000_000_000_000_000) / 10_000_000_000_000_000), 65_535)
    }
}
