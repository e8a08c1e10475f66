import CImageCodecJPEG
public import ImageCore

/// Encodes baseline and progressive JPEG in YCbCr or gray, with optimized Huffman tables.
///
/// Chroma is subsampled 4:2:0 below quality 0.9, and not above. Images with alpha are composited over white. Quality 0
/// to 1 maps to libjpeg's quality 1 to 100. Images in other color spaces than sRGB get their profile.
///
/// Progressive files have the scans of `jpeg_simple_progression`. The first one shows the whole image in color, an eighth
/// as sharp, after a tenth of the file (`benchmarks previews`). With fewer bits in it, it would come 20 % sooner and the
/// file would be 0.3 % larger; with gray before color, previews would change their color.
public struct JPEGEncoder: ImageEncoder {
    private let isGray: Bool

    /// Creates an encoder. It has no state.
    ///
    /// - Parameter isGray: Whether only the luma is written (ITU-T T.871, section 7), without a profile.
    public init(isGray: Bool = false) { self.isGray = isGray }

    public var format: ImageFormat { .jpeg }

    /// Encodes an image.
    ///
    /// - Throws: `.unsupportedSize` if a side is not from 1 to 65,500 pixels.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        try check(bitmap.size, largest: Self.maximumSide)
        let writer = try JPEGWriter()
        try writer.start(bitmap, isGray: isGray, options: options)
        let (stride, all) = (bitmap.bytesPerRow, bitmap.pixels)
        for row in 0..<bitmap.size.height {
            let pixels = all.span.extracting(row * stride..<(row + 1) * stride)
            try bitmap.isOpaque ? writer.write(pixels) : writer.write(flattened(pixels).span)
        }
        return try writer.finish()
    }

    /// The limit of libjpeg (JPEG_MAX_DIMENSION), slightly below the format's 65,535.
    private static let maximumSide = 65_500

    /// Returns the row composited over white.
    private func flattened(_ row: Span<UInt8>) -> [UInt8] {
        var result = [UInt8](repeating: 255, count: row.count)
        for start in stride(from: 0, to: row.count, by: 4) {
            let alpha = UInt32(row[start + 3])
            for index in start..<start + 3 {
                result[index] = UInt8((UInt32(row[index]) * alpha + 255 * (255 - alpha) + 127) / 255)
            }
        }
        return result
    }
}

/// Writes a file with libjpeg.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
@safe private final class JPEGWriter {
    private let writer: OpaquePointer

    init() throws(ImageEncodingError) {
        guard let writer = unsafe ilj_writer_create() else { throw .failed(.jpeg, "out of memory") }
        unsafe self.writer = writer
    }

    deinit { unsafe ilj_writer_destroy(writer) }

    func start(_ bitmap: Bitmap, isGray: Bool, options: EncodingOptions) throws(ImageEncodingError) {
        let quality = options.quality
        var settings = unsafe ilj_writer_options()
        unsafe settings.width = Int32(bitmap.size.width)
        unsafe settings.height = Int32(bitmap.size.height)
        unsafe settings.quality = Int32((1 + quality * 99).rounded())
        unsafe settings.subsamples_chroma = quality < 0.9
        unsafe settings.is_gray = isGray
        unsafe settings.is_progressive = options.isProgressive
        unsafe settings.is_cancelled = { Task.isCancelled }
        // A profile for RGB would make a gray file invalid.
        let profile = isGray ? nil : bitmap.colorSpace.profile
        let status = unsafe (profile ?? Data()).withUnsafeBytes { profile in
            unsafe settings.profile = profile.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe settings.profile_length = profile.count
            return unsafe ilj_writer_start(writer, settings)
        }
        try check(status)
    }

    func write(_ row: Span<UInt8>) throws(ImageEncodingError) {
        let status = unsafe row.withUnsafeBufferPointer { unsafe ilj_writer_write_rows(writer, $0.baseAddress, 1) }
        try check(status)
    }

    func finish() throws(ImageEncodingError) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        try check(unsafe ilj_writer_finish(writer, &bytes, &count))
        return unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func check(_ status: ilj_status) throws(ImageEncodingError) {
        if status == ILJ_CANCELLED { throw .cancelled }
        if status != ILJ_OK { throw unsafe .failed(.jpeg, String(cString: ilj_writer_message(writer))) }
    }
}
