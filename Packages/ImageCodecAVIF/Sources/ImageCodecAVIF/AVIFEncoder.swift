#if AVIF
    import CImageCodecAVIF
    public import ImageCore

    /// Encodes AVIF with aom, lossy and lossless, still and animated, with alpha.
    ///
    /// Files have 8 bits per channel, the full range, the color space of the image in code points of ITU-T H.273 and,
    /// if lossy, the matrix of BT.601, as `avifenc` writes them. Below a quality of 0.9, chroma has half the resolution
    /// (4:2:0). Alpha is always lossless. A lossless file also preserves the color of transparent pixels.
    ///
    /// A quality looks like the same quality of a JPEG: their SSIM differs by less than 0.01 on photographs. A quality of 1
    /// is not lossless, because colors are converted. `isProgressive` is ignored.
    public struct AVIFEncoder: ImageEncoder {
        /// The maximum width and height of an AV1 frame.
        private static let largestSide = 65_536
        /// The maximum speed of animations. Above, aom 3.6 uses its realtime mode, which isn't lossless and can crash.
        private static let fastestAnimation = 6

        private let speed: Int
        private let orientation: ImageOrientation
        private let colorProfile: Data?

        /// Creates an encoder.
        ///
        /// - Parameters:
        ///   - effort: From 0 (fastest) to 10 (smallest files): 10 minus aom's speed. Other values are clamped, in
        ///     animations to at least 4.
        ///   - orientation: Declares how the pixels are to be turned. They are stored as they are.
        ///   - colorProfile: The ICC profile of the pixels; nil for their color space.
        public init(effort: Int = 4, orientation: ImageOrientation = .up, colorProfile: Data? = nil) {
            speed = 10 - min(max(effort, 0), 10)
            self.orientation = orientation
            self.colorProfile = colorProfile
        }

        public var format: ImageFormat { .avif }
        public var keepsAlpha: Bool { true }

        /// Encodes a still image.
        ///
        /// - Throws: `.unsupportedSize` if a side is not from 1 to 65,536 pixels.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
            let writer = try writer(
                of: bitmap.size, in: bitmap.colorSpace, hasAlpha: !bitmap.isOpaque, speed: speed, options: options)
            try writer.add(bitmap, duration: 0)
            return try writer.finish()
        }

        /// Encodes an animation. Delays are rounded to milliseconds, at least 1 and at most 2^31.
        ///
        /// Every frame is a sample of its own, even if it equals the previous one.
        ///
        /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
        public func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(ImageEncodingError) -> Data {
            let (frames, space) = frames.inOneColorSpace
            let size = try commonSize(of: frames)
            if frames.count == 1 { return try encode(frames[0].bitmap, options: options) }
            let hasAlpha = frames.contains { !$0.bitmap.isOpaque }
            let writer = try writer(
                of: size, in: space, hasAlpha: hasAlpha, speed: min(speed, Self.fastestAnimation),
                loopCount: loopCount, options: options)
            for frame in frames {
                try checkCancellation()
                try writer.add(frame.bitmap, duration: frame.delay.milliseconds(upTo: Int(Int32.max)))
            }
            return try RepeatedAnimation.file(try writer.finish(), loopCount: max(0, loopCount))
        }

        private func writer(
            of size: PixelSize, in space: ColorSpace, hasAlpha: Bool, speed: Int, loopCount: Int = 0,
            options: EncodingOptions
        ) throws(ImageEncodingError) -> AVIFWriter {
            try check(size, largest: Self.largestSide)
            let transform = orientation.transform
            let quality = options.quality
            let settings = avif_settings(
                speed: CInt(speed), quantizer: CInt(options.quantizer.rounded()),
                is_lossless: options.isLossless ? 1 : 0, halves_chroma: quality < 0.9 ? 1 : 0,
                has_alpha: hasAlpha ? 1 : 0, rotation: CInt(transform.rotation), mirror: CInt(transform.mirror),
                primaries: CInt(space.codePoints.primaries), transfer: CInt(space.codePoints.transfer),
                loops: CInt(clamping: loopCount))
            return try AVIFWriter(size: size, settings: settings, profile: colorProfile ?? Data())
        }
    }

    /// Encodes frames with libavif.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. Pixels are only read during a
    /// call, and have the size of the image.
    @safe private final class AVIFWriter {
        /// The units of a duration per second.
        static let timescale: UInt64 = 1000

        private let size: PixelSize
        private let handle: OpaquePointer

        init(size: PixelSize, settings: avif_settings, profile: Data) throws(ImageEncodingError) {
            self.size = size
            let handle = unsafe profile.withUnsafeBytes { profile in
                unsafe avif_writer_open(
                    UInt32(size.width), UInt32(size.height), settings, Self.timescale, profile.baseAddress,
                    profile.count)
            }
            guard let handle = unsafe handle else { throw .failed(.avif, "libavif has no encoder or no memory") }
            unsafe self.handle = handle
        }

        deinit { unsafe avif_writer_close(handle) }

        /// Encodes a frame. The duration is 0 for a still image.
        func add(_ bitmap: Bitmap, duration: Int) throws(ImageEncodingError) {
            precondition(bitmap.size == size)
            let outcome = unsafe bitmap.pixels.withUnsafeBufferPointer { pixels in
                unsafe avif_writer_add(handle, pixels.baseAddress, UInt64(duration))
            }
            guard outcome == avif_ok else { throw .failed(.avif, "libavif could not encode the image") }
        }

        func finish() throws(ImageEncodingError) -> Data {
            var file = unsafe avif_bytes()
            let outcome = unsafe avif_writer_finish(handle, &file)
            defer { unsafe avif_free(&file) }
            guard outcome == avif_ok, let bytes = unsafe file.bytes else {
                throw .failed(.avif, "libavif could not write the file")
            }
            return unsafe Data(bytes: bytes, count: file.length)
        }
    }

    extension EncodingOptions {
        /// The quantizer of aom with the SSIM of libjpeg-turbo at the qualities 0, 0.1 and so on, and between them. Measured
        /// on photographs with `Scripts/lib/differential/quality.py`.
        fileprivate var quantizer: Double {
            quality(onScale: [63, 52, 45, 40, 37, 35, 33, 29, 24, 14, 0])
        }
    }
#endif
