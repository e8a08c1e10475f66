import CImageCodecPNG
public import ImageCore

/// Encodes PNG losslessly with 8 bits per channel, still and animated: RGB if the image is opaque, otherwise RGBA.
///
/// With a number of colors, still images with more are reduced by median cut (Heckbert 1982), with dithering. The colors can
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
        let area = PixelArea(size: bitmap.size)
        guard let colorCount else { return try encode(bitmap, area, hasAlpha: !bitmap.isOpaque, options) }
        let image = try IndexedImage(bitmap, area: area, colorCount: colorCount, keepsAlpha: true, dithering: 4)
        let palette = image.palette.flatMap { [$0.x, $0.y, $0.z, $0.w] }
        return try unsafe palette.span.withUnsafeBufferPointer { (colors) throws(ImageEncodingError) in
            var settings = unsafe settings(area, options)
            unsafe settings.row_bytes = area.width
            unsafe settings.palette = colors.baseAddress
            unsafe settings.palette_count = Int32(image.palette.count)
            return try unsafe PNGWriter().write(image.indices.span, bitmap.colorSpace, settings)
        }
    }

    /// Encodes an animation with all colors, whatever the number that was passed to the initializer. Delays are rounded
    /// to milliseconds, from 1 to 65,535, and longer ones to at most 65,535 s. `loopCount` is at most 2^31 - 1.
    ///
    /// A frame stores only the rectangle that changed. All frames have alpha, unless all are opaque.
    ///
    /// - Throws: `.inconsistentFrames` if there are no frames or their sizes differ, or `.unsupportedSize`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        let (frames, _) = frames.inOneColorSpace
        try check(try commonSize(of: frames), largest: Int(Int32.max))
        if frames.count == 1 { return try encode(frames[0].bitmap, options: options) }
        let hasAlpha = frames.contains { !$0.bitmap.isOpaque }
        var writer = PNGAnimationWriter(frameCount: frames.count, loopCount: loopCount)
        var previous: Bitmap?
        for frame in frames {
            let area = frame.bitmap.changedArea(since: previous)
            let image = try encode(frame.bitmap, area, hasAlpha: hasAlpha, options)
            writer.add(image, at: area, delay: frame.delay)
            previous = frame.bitmap
        }
        return writer.finish()
    }

    /// Encodes a part of an image with all colors.
    private func encode(
        _ bitmap: Bitmap, _ area: PixelArea, hasAlpha: Bool, _ options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        var settings = unsafe settings(area, options)
        unsafe settings.has_alpha = hasAlpha
        unsafe settings.row_bytes = bitmap.bytesPerRow
        let start = area.top * bitmap.bytesPerRow + 4 * area.left
        let pixels = bitmap.pixels
        return try unsafe PNGWriter().write(pixels.span.extracting(start...), bitmap.colorSpace, settings)
    }

    private func settings(_ area: PixelArea, _ options: EncodingOptions) -> ilp_writer_options {
        var settings = unsafe ilp_writer_options()
        unsafe settings.width = Int32(area.width)
        unsafe settings.height = Int32(area.height)
        unsafe settings.is_interlaced = options.isProgressive
        unsafe settings.compression_level = Int32(effort)
        unsafe settings.is_cancelled = { Task.isCancelled }
        return unsafe settings
    }
}

/// Joins images to an animation (PNG 3rd edition, 11.3.6). The first one is the default image.
private struct PNGAnimationWriter {
    private var file = Data(PNGChunkStream.signature)
    private var sequence = 0
    private let frameCount: Int
    private let loopCount: Int

    init(frameCount: Int, loopCount: Int) {
        self.frameCount = frameCount
        self.loopCount = min(max(loopCount, 0), Int(Int32.max))
    }

    /// Adds a frame. Each has the same kind of pixels.
    mutating func add(_ image: Data, at area: PixelArea, delay: Duration) {
        let (isFirst, chunks) = (sequence == 0, PNGChunks(image))
        if isFirst {
            for chunk in chunks.prefix(while: { $0.type != .pixels }) { append(chunk.type, image[chunk.content]) }
            append(.animation, Data([frameCount, loopCount].flatMap(\.bigEndianBytes)))
        }
        append(.frame, control(area, delay))
        for chunk in chunks where chunk.type == .pixels {
            if isFirst {
                append(.pixels, image[chunk.content])
            } else {
                append(.framePixels, sequenceNumber() + image[chunk.content])
            }
        }
    }

    mutating func finish() -> Data {
        append(.end, Data())
        return file
    }

    /// The data of an fcTL chunk. The frame replaces its area, and stays.
    private mutating func control(_ area: PixelArea, _ delay: Duration) -> Data {
        var (numerator, denominator) = (delay.milliseconds(upTo: 65_535_000), 1000)
        while numerator > 65_535 { (numerator, denominator) = ((numerator + 5) / 10, denominator / 10) }
        return sequenceNumber()
            + Data([area.width, area.height, area.left, area.top].flatMap(\.bigEndianBytes))
            + Data([numerator, denominator].flatMap { $0.bigEndianBytes.suffix(2) } + [0, 0])
    }

    private mutating func sequenceNumber() -> Data {
        defer { sequence += 1 }
        return Data(sequence.bigEndianBytes)
    }

    private mutating func append(_ type: PNGChunkType, _ data: Data) {
        let body = Data(type.bytes) + data
        var checksum = PNGChecksum()
        checksum.add(body.span)
        file += data.count.bigEndianBytes + body + Int(checksum.value).bigEndianBytes
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

    /// - Parameter pixels: The rows, from the first pixel that is written.
    func write(
        _ pixels: Span<UInt8>, _ colorSpace: ColorSpace, _ options: ilp_writer_options
    ) throws(ImageEncodingError) -> Data {
        var options = unsafe options
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let isWritten = unsafe (colorSpace.profile ?? Data()).withUnsafeBytes { profile in
            unsafe options.profile = profile.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe options.profile_length = profile.count
            return unsafe pixels.withUnsafeBufferPointer { pixels in
                unsafe ilp_writer_write(writer, options, pixels.baseAddress, &bytes, &count)
            }
        }
        if !isWritten, Task.isCancelled { throw .cancelled }
        if !isWritten { throw unsafe .failed(.png, String(cString: ilp_writer_message(writer))) }
        return unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
    }
}
