import CImageCodecWebP
public import ImageCore

/// Encodes WebP, lossy and lossless, still and animated, with alpha.
///
/// Lossless encoding preserves every byte, including the color of transparent pixels. `isProgressive` is ignored. Images
/// in other color spaces than sRGB get their profile.
public struct WebPEncoder: ImageEncoder {
    /// The maximum width and height of the format.
    private static let largestSide = 16_383

    private let effort: Int

    /// Creates an encoder.
    ///
    /// - Parameter effort: From 0 (fastest) to 6 (smallest files). Other values are clamped.
    public init(effort: Int = 4) { self.effort = min(max(effort, 0), 6) }

    public var format: ImageFormat { .webP }
    public var keepsAlpha: Bool { true }

    /// Encodes a still image.
    ///
    /// - Throws: `.unsupportedSize` if a side is not from 1 to 16,383 pixels.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        try check(bitmap.size, largest: Self.largestSide)
        let area = PixelArea(size: bitmap.size)
        let image = try EncodedWebP(bitmap.withoutHiddenAlpha, area: area, effort: effort, options: options)
        return try image.data(profile: bitmap.colorSpace.profile)
    }

    /// Encodes an animation. Delays are rounded to milliseconds, from 1 to 16,777,215. `loopCount` is at most 65,535.
    ///
    /// Every frame is stored, even if it equals the previous one. A frame stores only the rectangle that changed.
    ///
    /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        let (frames, space) = frames.inOneColorSpace
        let size = try commonSize(of: frames)
        try check(size, largest: Self.largestSide)
        let animation = try WebPAnimation(size: size, loopCount: min(max(loopCount, 0), 65_535))
        var previous: Bitmap?
        for frame in frames {
            let area = frame.bitmap.changedArea(since: previous).startingEven
            let image = try EncodedWebP(frame.bitmap, area: area, effort: effort, options: options)
            try animation.add(image, at: area, delay: frame.delay)
            previous = frame.bitmap
        }
        return try animation.finish(profile: space.profile)
    }
}

extension PixelArea {
    /// The smallest enclosing rectangle with even left and top, as the format requires for frames.
    var startingEven: PixelArea {
        PixelArea(left: left & ~1, top: top & ~1, width: width + left % 2, height: height + top % 2)
    }
}

/// A still file written by libwebp.
///
/// Safe: the bytes are valid from `init` to `deinit` and are only read.
@safe final class EncodedWebP {
    fileprivate var bytes = unsafe webp_bytes()

    init(_ bitmap: Bitmap, area: PixelArea, effort: Int, options: EncodingOptions) throws(ImageEncodingError) {
        precondition(area.left + area.width <= bitmap.size.width && area.top + area.height <= bitmap.size.height)
        let settings = webp_settings(
            quality: Float(100 * options.quality), is_lossless: options.isLossless ? 1 : 0, effort: CInt(effort),
            is_cancelled: { Task.isCancelled ? 1 : 0 })
        let start = area.top * bitmap.bytesPerRow + 4 * area.left
        let error = unsafe bitmap.pixels.withUnsafeBufferPointer { pixels in
            let first = unsafe pixels.baseAddress?.advanced(by: start)
            return unsafe webp_encode(
                first, CInt(bitmap.bytesPerRow), CInt(area.width), CInt(area.height), settings, &bytes)
        }
        if error != 0, Task.isCancelled { throw .cancelled }
        // The codes of `WebPEncodingError`.
        let reasons: [CInt: String] = [
            1: "out of memory", 2: "out of memory", 6: "too many details", 9: "too large a file",
        ]
        let reason = reasons[error] ?? "internal error \(error)"
        if error != 0 { throw .failed(.webP, "libwebp could not encode the image: \(reason)") }
    }

    deinit { unsafe webp_free(&bytes) }

    /// Returns a copy of the file, with a profile.
    func data(profile: Data?) throws(ImageEncodingError) -> Data {
        try unsafe bytes.add(profile)
        return unsafe bytes.copy
    }
}

/// Writes an animation with libwebpmux.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
@safe final class WebPAnimation {
    private let handle: OpaquePointer

    init(size: PixelSize, loopCount: Int) throws(ImageEncodingError) {
        let handle = unsafe webp_animation_open(CInt(size.width), CInt(size.height), CInt(loopCount))
        guard let handle = unsafe handle else { throw Self.failure }
        unsafe self.handle = handle
    }

    deinit { unsafe webp_animation_close(handle) }

    private static var failure: ImageEncodingError { .failed(.webP, "libwebp could not assemble the animation") }

    func add(_ image: EncodedWebP, at area: PixelArea, delay: Duration) throws(ImageEncodingError) {
        let isGood = unsafe webp_animation_add(
            handle, &image.bytes, CInt(area.left), CInt(area.top), CInt(delay.milliseconds(upTo: 0xFF_FFFF)))
        if isGood == 0 { throw Self.failure }
    }

    func finish(profile: Data?) throws(ImageEncodingError) -> Data {
        var file = unsafe webp_bytes()
        guard unsafe webp_animation_finish(handle, &file) != 0 else { throw Self.failure }
        defer { unsafe webp_free(&file) }
        try unsafe file.add(profile)
        return unsafe file.copy
    }
}

extension webp_bytes {
    /// Adds a profile to the file, if there is one.
    fileprivate mutating func add(_ profile: Data?) throws(ImageEncodingError) {
        guard let profile else { return }
        let isAdded = unsafe profile.withUnsafeBytes { profile in
            unsafe webp_add_profile(&self, profile.baseAddress?.assumingMemoryBound(to: UInt8.self), profile.count)
        }
        if isAdded == 0 { throw .failed(.webP, "libwebp could not add the color profile") }
    }

    fileprivate var copy: Data {
        guard let bytes = unsafe bytes else { return Data() }
        return unsafe Data(bytes: bytes, count: length)
    }
}
