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
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        try encode([AnimationFrame(bitmap: bitmap, delay: .zero)], loopCount: 1, options: options)
    }

    /// Encodes an animation. Delays are rounded to hundredths of a second, up to 655.35 seconds. `loopCount` is at most
    /// 65,536.
    ///
    /// A frame stores only the rectangle that changed, in which pixels that didn't change are transparent. Before pixels
    /// become transparent, their rectangle is cleared.
    ///
    /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        let size = try commonSize(of: frames)
        try check(size, largest: 65_535)
        let frames = frames.converted(to: .sRGB)
        let writer = try GIFWriter(size: size, repetitions: Self.repetitions(loopCount))
        let bitmaps = frames.map { $0.bitmap.withBinaryAlpha }
        var shown: Bitmap?
        for (index, bitmap) in bitmaps.enumerated() {
            let cleared = bitmap.areaToClear(before: bitmaps[(index + 1) % bitmaps.count])
            let changed = bitmap.changedArea(since: shown)
            let area = cleared.map(changed.union) ?? changed
            let image = try IndexedImage(changesFrom: shown, to: bitmap, in: area)
            try writer.put(
                image, at: area, delay: frames[index].delay, clears: cleared != nil, isInterlaced: options.isProgressive
            )
            shown = cleared == nil ? bitmap : bitmap.cleared(in: area)
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

    init(size: PixelSize, repetitions: Int?) throws(ImageEncodingError) {
        let handle = unsafe gif_writer_open(CInt(size.width), CInt(size.height), CInt(repetitions ?? -1))
        guard let handle = unsafe handle else { throw Self.failure }
        unsafe self.handle = handle
    }

    deinit { unsafe gif_writer_close(handle) }

    private static var failure: ImageEncodingError { .failed(.gif, "giflib could not write the file") }

    func put(
        _ image: IndexedImage, at area: PixelArea, delay: Duration, clears: Bool, isInterlaced: Bool
    ) throws(ImageEncodingError) {
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
    func finish() throws(ImageEncodingError) -> Data {
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

extension Bitmap {
    /// The image as GIF stores it: pixels with alpha below 128 are transparent black, and others opaque.
    fileprivate var withBinaryAlpha: Bitmap {
        if isOpaque { return self }
        var pixels = pixels
        for start in stride(from: 0, to: pixels.count, by: 4) {
            let isVisible = pixels[start + 3] >= 128
            for channel in 0..<3 where !isVisible { pixels[start + channel] = 0 }
            pixels[start + 3] = isVisible ? 255 : 0
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: false, colorSpace: colorSpace)
    }

    /// The smallest rectangle with all pixels that become transparent in the next frame. Nil if there are none.
    fileprivate func areaToClear(before next: Bitmap) -> PixelArea? {
        if next.isOpaque { return nil }
        var (kept, vanishing) = (pixels, false)
        let following = next.pixels
        for start in stride(from: 0, to: kept.count, by: 4) where kept[start + 3] > 0 && following[start + 3] == 0 {
            kept[start + 3] = 0
            vanishing = true
        }
        if !vanishing { return nil }
        return changedArea(since: Bitmap(size: size, pixels: kept, isOpaque: false, colorSpace: colorSpace))
    }

    /// The number of colors that aren't transparent, or 257 if there are more.
    fileprivate var colorCount: Int {
        let pixels = pixels
        var colors: Set<UInt32> = []
        for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 0 && colors.count <= 256 {
            colors.insert(UInt32(pixels[start]) << 16 | UInt32(pixels[start + 1]) << 8 | UInt32(pixels[start + 2]))
        }
        return colors.count
    }

    fileprivate func cleared(in area: PixelArea) -> Bitmap {
        var pixels = pixels
        for y in area.top..<area.top + area.height {
            let start = y * bytesPerRow + 4 * area.left
            pixels.replaceSubrange(start..<start + 4 * area.width, with: repeatElement(0, count: 4 * area.width))
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: false, colorSpace: colorSpace)
    }

    /// The image with its pixels that equal those of another image made transparent.
    fileprivate func changes(since other: Bitmap) -> Bitmap {
        var pixels = pixels
        let known = other.pixels
        for start in stride(from: 0, to: pixels.count, by: 4)
        where (0..<4).allSatisfy({ pixels[start + $0] == known[start + $0] }) {
            pixels[start + 3] = 0
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: false, colorSpace: colorSpace)
    }
}

extension PixelArea {
    fileprivate func union(_ other: PixelArea) -> PixelArea {
        let (left, top) = (min(left, other.left), min(top, other.top))
        let right = max(self.left + width, other.left + other.width)
        let bottom = max(self.top + height, other.top + other.height)
        return PixelArea(left: left, top: top, width: right - left, height: bottom - top)
    }
}

extension IndexedImage {
    /// The part of a frame to draw over `shown`. Pixels that are shown already are transparent, unless that would take the
    /// place of one of 256 colors.
    fileprivate init(changesFrom shown: Bitmap?, to bitmap: Bitmap, in area: PixelArea) throws(ImageEncodingError) {
        guard let changes = shown.map(bitmap.changes(since:)), changes.colorCount != 256 else {
            self = try IndexedImage(bitmap, area: area)
            return
        }
        self = try IndexedImage(changes, area: area)
    }
}

extension Duration {
    /// The duration in hundredths of a second, rounded and clamped to 0...65,535.
    fileprivate var hundredths: Int {
        let (seconds, attoseconds) = limited.components
        guard seconds < 656 else { return 65_535 }
        return min(Int(seconds) * 100 + Int((attoseconds + 5_000_000_000_000_000) / 10_000_000_000_000_000), 65_535)
    }
}
