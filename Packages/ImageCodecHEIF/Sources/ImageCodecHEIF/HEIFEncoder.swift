#if HEIF
    import CImageCodecHEIF
    public import ImageCore

    /// Encodes HEIF with HEVC: still images, lossy and lossless, with alpha.
    ///
    /// Lossy files have 4:2:0 chroma and full range. Lossless files store RGB in 4:4:4. The color space of the image is
    /// stored in code points of ITU-T H.273. `isProgressive` is ignored.
    public struct HEIFEncoder: ImageEncoder {
        /// The longest side of HEVC level 6.2 that libde265 decodes.
        private static let largestSide = 16_384

        /// x265 fills a table of functions at its first use, which isn't safe on several threads.
        private static let setUp = Result { () throws(ImageEncodingError) -> Void in
            let pixels = [UInt8](repeating: 255, count: 64 * 64 * 4)
            let bitmap = Bitmap(size: PixelSize(width: 64, height: 64), pixels: pixels, isOpaque: true)
            _ = try EncodedHEIF(bitmap, orientation: .up, profile: nil, options: EncodingOptions())
        }

        private let orientation: ImageOrientation
        private let colorProfile: Data?

        /// Creates an encoder.
        ///
        /// - Parameters:
        ///   - orientation: The orientation of the pixels, which is written as properties `irot` and `imir`.
        ///   - colorProfile: The ICC profile of the pixels; nil for their color space.
        public init(orientation: ImageOrientation = .up, colorProfile: Data? = nil) {
            self.orientation = orientation
            self.colorProfile = colorProfile
        }

        public var format: ImageFormat { .heic }
        public var keepsAlpha: Bool { true }

        /// Encodes a still image.
        ///
        /// A quality looks like the same quality of a JPEG: their SSIM differs by less than 0.01 on photographs.
        ///
        /// - Throws: `.unsupportedSize` if a side is not from 1 to 16,384 pixels, or `.failed`.
        public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
            try check(bitmap.size, largest: Self.largestSide)
            try Self.setUp.get()
            return try EncodedHEIF(bitmap, orientation: orientation, profile: colorProfile, options: options).data
        }
    }

    /// A file written by libheif.
    ///
    /// Safe: the bytes are valid from `init` to `deinit` and are only read.
    @safe private final class EncodedHEIF {
        private var bytes = unsafe heic_bytes()

        init(
            _ bitmap: Bitmap, orientation: ImageOrientation, profile: Data?, options: EncodingOptions
        ) throws(ImageEncodingError) {
            var settings = unsafe heic_settings()
            unsafe settings.width = CInt(bitmap.size.width)
            unsafe settings.height = CInt(bitmap.size.height)
            unsafe settings.quality = CInt(options.qualityOfLibheif.rounded())
            unsafe settings.is_lossless = options.isLossless ? 1 : 0
            unsafe settings.has_alpha = bitmap.isOpaque ? 0 : 1
            unsafe settings.orientation = CInt(orientation.rawValue)
            unsafe settings.primaries = CInt(bitmap.colorSpace.codePoints.primaries)
            unsafe settings.transfer = CInt(bitmap.colorSpace.codePoints.transfer)
            let (pixels, profile) = (bitmap.pixels, [UInt8](profile ?? Data()))
            let error = unsafe pixels.withUnsafeBufferPointer { pixels in
                unsafe profile.withUnsafeBufferPointer { profile in
                    if !profile.isEmpty {
                        unsafe settings.profile = profile.baseAddress
                        unsafe settings.profile_length = profile.count
                    }
                    return unsafe heic_encode(pixels.baseAddress, &settings, &bytes)
                }
            }
            // The codes of `heif_error_code`.
            let reasons: [CInt: String] = [
                4: "unsupported image", 6: "out of memory", 8: "failure of the HEVC encoder",
            ]
            let reason = reasons[error] ?? "internal error \(error)"
            if error != 0 { throw .failed(.heic, "libheif could not encode the image: \(reason)") }
        }

        deinit { unsafe heic_free(&bytes) }

        /// A copy of the file.
        var data: Data {
            guard let start = unsafe bytes.bytes else { return Data() }
            return unsafe Data(bytes: start, count: bytes.length)
        }
    }

    extension EncodingOptions {
        /// The quality of libheif with the SSIM of libjpeg-turbo at the qualities 0, 0.1 and so on, and between them. Measured
        /// on photographs with `Scripts/lib/differential/quality.py`.
        fileprivate var qualityOfLibheif: Double {
            quality(onScale: [10, 18, 24, 29, 33, 35, 38, 41, 44, 53, 100])
        }
    }
#endif
