import CImageCodecPNG
public import ImageCore

/// Encodes PNG losslessly with 8 bits per channel: RGB if the image is opaque, otherwise RGBA.
///
/// With a number of colors, images with more are reduced by median cut (Heckbert 1982), with dithering. The colors can
/// be partly transparent, and are stored in a palette.
///
/// Images in other color spaces than sRGB get their profile.
public struct PNGEncoder: ImageEncoder {
    private let effort: Int
    private let colorCount: Int?

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - effort: From 0 (uncompressed) to 9 (smallest files), as zlib's level. Other values are clamped.
    ///   - colorCount: The most colors, from 2 to 256, and others are clamped; nil to keep all.
    public init(effort: Int = 6, colorCount: Int? = nil) {
        self.effort = min(max(effort, 0), 9)
        self.colorCount = colorCount.map { min(max($0, 2), 256) }
    }

    public var format: ImageFormat { .png }
    public var keepsAlpha: Bool { true }

    /// Encodes an image. `options.isProgressive` interlaces it (Adam7). The other options are ignored.
    ///
    /// - Throws: `.unsupportedSize` if a side is not from 1 to 2^31 - 1 pixels.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        try check(bitmap.size, largest: Int(Int32.max))
        var settings = unsafe ilp_writer_options()
        unsafe settings.width = Int32(bitmap.size.width)
        unsafe settings.height = Int32(bitmap.size.height)
        unsafe settings.has_alpha = !bitmap.isOpaque
        unsafe settings.is_interlaced = options.isProgressive
        unsafe settings.compression_level = Int32(effort)
        unsafe settings.is_cancelled = { Task.isCancelled }
        guard let colorCount else { return try unsafe PNGWriter().write(bitmap.pixels, bitmap.colorSpace, settings) }
        let image = try IndexedImage(
            bitmap, area: PixelArea(bitmap.size), colorCount: colorCount, keepsAlpha: true, dithering: 4)
        let palette = image.palette.flatMap { [$0.x, $0.y, $0.z, $0.w] }
        return try unsafe palette.span.withUnsafeBufferPointer { (colors) throws(ImageEncodingError) in
            unsafe settings.palette = colors.baseAddress
            unsafe settings.palette_count = Int32(image.palette.count)
            return try unsafe PNGWriter().write(image.indices, bitmap.colorSpace, settings)
        }
    }
}

/// Writes a file with libpng.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
@safe private final class PNGWriter {
    private let writer: OpaquePointer

    init() throws(ImageEncodingError) {
        guard let writer = unsafe ilp_writer_create() else { throw .failed(.png, "out of memory") }
        unsafe self.writer = writer
    }

    deinit { unsafe ilp_writer_destroy(writer) }

    func write(_ pixels: [UInt8], _ colorSpace: ColorSpace, _ options: ilp_writer_options) throws(ImageEncodingError)
        -> Data
    {
        var options = unsafe options
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let isWritten = unsafe (colorSpace.profile ?? Data()).withUnsafeBytes { profile in
            unsafe options.profile = profile.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe options.profile_length = profile.count
            return unsafe pixels.span.withUnsafeBufferPointer { pixels in
                unsafe ilp_writer_write(writer, options, pixels.baseAddress, &bytes, &count)
            }
        }
        if !isWritten, Task.isCancelled { throw .cancelled }
        if !isWritten { throw unsafe .failed(.png, String(cString: ilp_writer_message(writer))) }
        return unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
    }
}
