#if JXL
    import CImageCodecJXL
    public import ImageCore

    /// Encodes JPEG XL, lossy and lossless, still and animated, with alpha.
    ///
    /// Lossless encoding preserves every byte, including the color of transparent pixels. In lossy files, libjxl 0.7 encodes
    /// alpha with loss, too. `isProgressive` stores lossless images in several resolutions, and lossy ones in several passes,
    /// which libjxl 0.7 doesn't do. Lossy images begin with their low frequencies in any case.
    public struct JXLEncoder: ImageEncoder {
        fileprivate let effort: Int
        fileprivate let orientation: ImageOrientation
        fileprivate let colorProfile: Data?

        /// The maximum width and height, and the maximum area, of profile 5 (ISO/IEC 18181-1, annex M).
        private static let largestSide = 1 << 18
        private static let largestArea = 1 << 28

        /// Creates an encoder.
        ///
        /// - Parameters:
        ///   - effort: The time that is spent to make the file smaller, clamped to 1...9. 3 is fast, 9 is slow.
        ///   - orientation: The orientation that the file declares. The pixels are stored as they are.
        ///   - colorProfile: The ICC profile of the pixels. Nil for their color space. Lossless files store it, and lossy
        ///     files are decoded to sRGB.
        public init(effort: Int = 7, orientation: ImageOrientation = .up, colorProfile: Data? = nil) {
            self.effort = min(max(effort, 1), 9)
            self.orientation = orientation
            self.colorProfile = colorProfile
        }

        public var format: ImageFormat { .jpegXL }
        public var keepsAlpha: Bool { true }

        /// Encodes a still image.
        ///
        /// A quality looks like the same quality of a JPEG: their SSIM differs by less than 0.01 on photographs.
        ///
        /// - Throws: `.unsupportedSize` if a side is not from 1 to 262,144 pixels or the area exceeds 2^28, or `.failed`.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
            try check(bitmap.size)
            let writer = try JXLWriter(
                self, size: bitmap.size, in: bitmap.colorSpace, hasAlpha: !bitmap.isOpaque, options: options)
            try writer.add(bitmap, PixelArea(size: bitmap.size), milliseconds: 0, isLast: true)
            return writer.data
        }

        /// Encodes an animation. Delays are rounded to milliseconds, from 1 to 4,294,967,295, which is also the largest
        /// `loopCount`. A frame stores only the rectangle that changed.
        ///
        /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, `.unsupportedSize`, or `.failed`.
        public func encode(
            _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
        ) throws(ImageEncodingError) -> Data {
            let (frames, space) = frames.inOneColorSpace
            let size = try commonSize(of: frames)
            try check(size)
            let hasAlpha = !frames.allSatisfy(\.bitmap.isOpaque)
            let writer = try JXLWriter(
                self, size: size, in: space, hasAlpha: hasAlpha, loopCount: frames.count > 1 ? loopCount : nil,
                options: options)
            var previous: Bitmap?
            for (index, frame) in frames.enumerated() {
                try checkCancellation()
                let area = frame.bitmap.changedArea(since: previous)
                previous = frame.bitmap
                let isLast = index == frames.count - 1
                // A frame without duration would be a part of the next one.
                let delay = frame.delay.milliseconds(upTo: Int(UInt32.max))
                try writer.add(frame.bitmap, area, milliseconds: UInt32(delay), isLast: isLast)
            }
            return writer.data
        }

        private func check(_ size: PixelSize) throws(ImageEncodingError) {
            try check(size, largest: Self.largestSide)
            if size.area > Self.largestArea { throw .unsupportedSize(.jpegXL, size) }
        }
    }

    /// Writes a file with libjxl, frame by frame.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
    @safe private final class JXLWriter {
        /// The part of the file that has been written.
        private(set) var data = Data()
        private let hasAlpha: Bool
        private let handle: OpaquePointer

        /// - Parameter loopCount: The number of times that an animation plays. Nil for a still image.
        init(
            _ encoder: JXLEncoder, size: PixelSize, in space: ColorSpace, hasAlpha: Bool, loopCount: Int? = nil,
            options: EncodingOptions
        ) throws(ImageEncodingError) {
            self.hasAlpha = hasAlpha
            var settings = unsafe jxl_settings()
            unsafe settings.width = UInt32(size.width)
            unsafe settings.height = UInt32(size.height)
            unsafe settings.has_alpha = hasAlpha ? 1 : 0
            unsafe settings.is_lossless = options.isLossless ? 1 : 0
            unsafe settings.distance = options.distance
            unsafe settings.effort = CInt(encoder.effort)
            unsafe settings.is_progressive = options.isProgressive ? 1 : 0
            unsafe settings.orientation = CInt(encoder.orientation.rawValue)
            unsafe settings.is_animated = loopCount == nil ? 0 : 1
            unsafe settings.loops = UInt32(clamping: loopCount ?? 0)
            unsafe settings.setColor(space)
            guard let handle = unsafe Self.open(&settings, profile: encoder.colorProfile) else {
                throw .failed(.jpegXL, "libjxl could not start the file")
            }
            unsafe self.handle = handle
        }

        deinit { unsafe jxl_encoder_close(handle) }

        private static func open(_ settings: inout jxl_settings, profile: Data?) -> OpaquePointer? {
            guard let profile else { return unsafe jxl_encoder_open(&settings) }
            return unsafe profile.withUnsafeBytes { bytes in
                unsafe settings.profile = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe settings.profile_length = bytes.count
                return unsafe jxl_encoder_open(&settings)
            }
        }

        /// Adds a part of a frame, which replaces that of the frame before it, and writes it.
        func add(
            _ bitmap: Bitmap, _ area: PixelArea, milliseconds: UInt32, isLast: Bool
        ) throws(ImageEncodingError) {
            let place = jxl_area(
                left: UInt32(area.left), top: UInt32(area.top), width: UInt32(area.width), height: UInt32(area.height))
            let isAdded = unsafe pixels(of: bitmap, in: area).withUnsafeBufferPointer { pixels in
                unsafe jxl_encoder_add(
                    handle, pixels.baseAddress, pixels.count, place, milliseconds, isLast ? 1 : 0) != 0
            }
            guard isAdded, write() else { throw .failed(.jpegXL, "libjxl could not encode the image") }
        }

        private func pixels(of bitmap: Bitmap, in area: PixelArea) -> [UInt8] {
            let pixels = hasAlpha ? bitmap.pixels : bitmap.packed().packedPixels ?? []
            if area == PixelArea(size: bitmap.size) { return pixels }
            let bytesPerPixel = hasAlpha ? 4 : 3
            return (area.top..<area.top + area.height).flatMap { y in
                let start = (y * bitmap.size.width + area.left) * bytesPerPixel
                return pixels[start..<start + area.width * bytesPerPixel]
            }
        }

        /// Appends the encoded frames to `data`.
        private func write() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                    unsafe jxl_encoder_write(handle, bytes.baseAddress, bytes.count)
                }
                if count <= 0 { return count == 0 }
                data.append(contentsOf: buffer[..<count])
            }
        }
    }

    extension jxl_settings {
        fileprivate mutating func setColor(_ space: ColorSpace) {
            let primaries = space.primaries
            unsafe white = (primaries.white.x, primaries.white.y)
            unsafe red = (primaries.red.x, primaries.red.y)
            unsafe green = (primaries.green.x, primaries.green.y)
            unsafe blue = (primaries.blue.x, primaries.blue.y)
            unsafe transfer = CInt(space.codePoints.transfer)
        }
    }

    extension EncodingOptions {
        /// The distance of Butteraugli with the SSIM of libjpeg-turbo at the qualities 0, 0.1 and so on, and between them.
        /// Measured on photographs with `Scripts/lib/differential/quality.py`. From 0.8 on, it is libjxl's conversion.
        fileprivate var distance: Float {
            Float(quality(onScale: [25, 15, 9, 5.6, 4.4, 3.7, 3.2, 2.6, 1.9, 1, 0.1]))
        }
    }
#endif
