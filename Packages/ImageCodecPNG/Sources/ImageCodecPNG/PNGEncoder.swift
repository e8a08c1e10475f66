import CImageCodecPNG
public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes PNG with 8 bits a channel: RGB when the image is opaque, RGBA when not. Lossless.
public struct PNGEncoder: ImageEncoder {
    private let compressionLevel: Int

    /// - Parameter compressionLevel: zlib's, from 0, stored, over 1, fast, to 9, small and slow. Values beyond are clamped.
    public init(compressionLevel: Int = 6) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
    }

    public var format: ImageFormat { .png }

    /// `options.isProgressive` interlaces (Adam7); the other options mean nothing to PNG.
    ///
    /// Throws `.unsupportedSize` for an empty image and for sides above 2^31 - 1.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        let sides = 1...Int(Int32.max)
        guard sides.contains(bitmap.size.width), sides.contains(bitmap.size.height) else {
            throw .unsupportedSize(.png, bitmap.size)
        }
        return try PNGWriter().write(
            bitmap,
            ilp_writer_options(
                width: Int32(bitmap.size.width), height: Int32(bitmap.size.height), has_alpha: !bitmap.isOpaque,
                is_interlaced: options.isProgressive, compression_level: Int32(compressionLevel)))
    }

    /// A single frame is written as a still image; more throw `.animationUnsupported`.
    public func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(EncodingFailure) -> Data {
        guard let first = frames.first else { throw .inconsistentFrames }
        if frames.count > 1 { throw .animationUnsupported(.png) }
        return try encode(first.bitmap, options: options)
    }
}

/// One pass of the library that writes a file.
@safe private final class PNGWriter {
    private let writer: OpaquePointer

    init() throws(EncodingFailure) {
        guard let writer = unsafe ilp_writer_create() else { throw .failed(.png, "no memory to write it") }
        unsafe self.writer = writer
    }

    deinit { unsafe ilp_writer_destroy(writer) }

    func write(_ bitmap: Bitmap, _ options: ilp_writer_options) throws(EncodingFailure) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let isWritten = unsafe bitmap.pixels.span.withUnsafeBufferPointer { pixels in
            unsafe ilp_writer_write(writer, options, pixels.baseAddress, &bytes, &count)
        }
        if !isWritten { throw unsafe .failed(.png, String(cString: ilp_writer_message(writer))) }
        return unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
    }
}
