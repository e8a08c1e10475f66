import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes the available bytes of an image.
///
/// Safe: handle and pixels are valid from `init` to `deinit` and never leave the class. Only rows that libwebp has
/// written are read.
@safe final class WebPSession {
    let size: PixelSize
    /// The number of decoded rows from the top.
    private(set) var rows = 0
    /// Whether the whole image is decoded.
    private(set) var isComplete = false
    private let pixels: UnsafeMutablePointer<UInt32>
    private let handle: OpaquePointer

    init(_ image: WebPImage) throws(DecodingFailure) {
        size = image.size
        let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: size.area)
        let rgba = unsafe UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
        let makesOpaque: CInt = image.isLossless && !image.hasAlpha ? 1 : 0
        let handle = unsafe webp_session_open(CInt(size.width), CInt(size.height), makesOpaque, rgba)
        guard let handle = unsafe handle else {
            unsafe pixels.deallocate()
            throw .unsupported(.webp, "libwebp could not allocate memory")
        }
        unsafe self.pixels = pixels
        unsafe self.handle = handle
    }

    deinit {
        unsafe webp_session_close(handle)
        unsafe pixels.deallocate()
    }

    /// Decodes the bytes of the image's chunks, always from the first byte. Does not throw `.truncated`.
    func update(_ bytes: Data) throws(DecodingFailure) {
        guard !isComplete else { return }
        var rows = CInt(0)
        let outcome = unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe webp_session_update(handle, start, bytes.count, &rows)
        }
        if outcome != webp_truncated { try check(outcome) }
        self.rows = Int(rows)
        isComplete = outcome == webp_ok
    }

    /// Sends rows, which must be decoded, to `sink`.
    func send(_ range: Range<Int>, to sink: any PixelRowSink) throws(DecodingFailure) {
        precondition(range.lowerBound >= 0 && range.upperBound <= rows)
        for y in range {
            let start = unsafe UnsafeRawPointer(pixels + y * size.width)
            let row = unsafe UnsafeRawBufferPointer(start: start, count: 4 * size.width)
            try sink.receive(unsafe Span(_unsafeBytes: row))
        }
    }

    /// The decoded rows, as RGBA without padding.
    var decodedPart: [UInt8] { unsafe [UInt8](UnsafeRawBufferPointer(start: pixels, count: 4 * rows * size.width)) }
}
