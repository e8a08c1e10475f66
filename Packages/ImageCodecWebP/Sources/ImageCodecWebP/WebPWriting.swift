import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A still file written by libwebp.
///
/// Safe: the bytes are valid from `init` to `deinit` and are only read.
@safe final class EncodedWebP {
    fileprivate var bytes = unsafe webp_bytes()

    init(_ bitmap: Bitmap, area: PixelArea, options: EncodingOptions) throws(EncodingFailure) {
        precondition(area.left + area.width <= bitmap.size.width && area.top + area.height <= bitmap.size.height)
        let settings = webp_settings(quality: options.webpQuality, is_lossless: options.isLossless ? 1 : 0)
        let start = area.top * bitmap.bytesPerRow + 4 * area.left
        let error = unsafe bitmap.pixels.withUnsafeBufferPointer { pixels in
            let first = unsafe pixels.baseAddress?.advanced(by: start)
            return unsafe webp_encode(
                first, CInt(bitmap.bytesPerRow), CInt(area.width), CInt(area.height), settings, &bytes)
        }
        if error != 0 { throw .failed(.webp, "libwebp could not encode the image (error \(error))") }
    }

    deinit { unsafe webp_free(&bytes) }

    /// A copy of the file.
    var data: Data { unsafe bytes.copy }
}

/// Writes an animation with libwebpmux.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
@safe final class WebPAnimation {
    private let handle: OpaquePointer

    init(size: PixelSize, loopCount: Int) throws(EncodingFailure) {
        let handle = unsafe webp_animation_open(CInt(size.width), CInt(size.height), CInt(loopCount))
        guard let handle = unsafe handle else { throw Self.failure }
        unsafe self.handle = handle
    }

    deinit { unsafe webp_animation_close(handle) }

    private static var failure: EncodingFailure { .failed(.webp, "libwebp could not assemble the animation") }

    func add(_ image: EncodedWebP, at area: PixelArea, delay: Duration) throws(EncodingFailure) {
        let isGood = unsafe webp_animation_add(
            handle, &image.bytes, CInt(area.left), CInt(area.top), CInt(delay.wholeMilliseconds))
        if isGood == 0 { throw Self.failure }
    }

    func finish() throws(EncodingFailure) -> Data {
        var file = unsafe webp_bytes()
        guard unsafe webp_animation_finish(handle, &file) != 0 else { throw Self.failure }
        defer { unsafe webp_free(&file) }
        return unsafe file.copy
    }
}

extension webp_bytes {
    fileprivate var copy: Data {
        guard let bytes = unsafe bytes else { return Data() }
        return unsafe Data(bytes: bytes, count: length)
    }
}

extension EncodingOptions {
    /// libwebp's quality, from 0 to 100.
    fileprivate var webpQuality: Float {
        quality.isNaN ? Float(100 * EncodingOptions().quality) : Float(100 * min(max(quality, 0), 1))
    }
}

extension Duration {
    /// The duration in milliseconds, rounded and clamped to 24 bits.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = limited.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 16_778 else { return 0xFF_FFFF }
        let milliseconds = Int(seconds) * 1000 + Int((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
        return min(milliseconds, 0xFF_FFFF)
    }
}
