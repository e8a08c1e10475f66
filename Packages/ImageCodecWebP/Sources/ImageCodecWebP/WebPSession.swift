import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes the available bytes of an image, at its size or with half the sides.
///
/// Safe: handle and memory are valid from `init` to `deinit` and never leave the class. Only rows that libwebp has
/// written are read.
@safe final class WebPSession {
    /// The size of the decoded image.
    let size: PixelSize
    /// The number of decoded rows from the top.
    private(set) var rows = 0
    /// Whether the whole image is decoded.
    private(set) var isComplete = false
    private let image: WebPImage
    /// The pixels, or the planes of an image that is decoded with half the sides.
    private let memory: UnsafeMutablePointer<UInt8>
    private let handle: OpaquePointer

    /// Creates a session.
    ///
    /// - Parameter size: The size of the image, or half of it if the image has one.
    init(_ image: WebPImage, size: PixelSize) throws(DecodingFailure) {
        precondition(size == image.size || size == image.halfSize)
        self.image = image
        self.size = size
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: image.byteCount(decodedAt: size))
        let pixels = image.isLossless && !image.hasAlpha ? webp_output_opaque : webp_output_rgba
        let output = size == image.size ? pixels : webp_output_planes
        let handle = unsafe webp_session_open(CInt(image.size.width), CInt(image.size.height), output, memory)
        guard let handle = unsafe handle else {
            unsafe memory.deallocate()
            throw .unsupported(.webp, "libwebp could not allocate memory")
        }
        unsafe self.memory = memory
        unsafe self.handle = handle
    }

    deinit {
        unsafe webp_session_close(handle)
        unsafe memory.deallocate()
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
        isComplete = outcome == webp_ok
        if isComplete { self.rows = size.height } else { self.rows = size == image.size ? Int(rows) : Int(rows) / 2 }
    }

    /// Sends rows, which must be decoded, to `sink`.
    func send(_ range: Range<Int>, to sink: any PixelRowSink) throws(DecodingFailure) {
        precondition(range.lowerBound >= 0 && range.upperBound <= rows)
        let decoded = unsafe UnsafeBufferPointer(start: memory, count: image.byteCount(decodedAt: size))
        try image.send(range, of: unsafe Span(_unsafeElements: decoded), size: size, to: sink)
    }

    /// The decoded rows, as RGBA without padding. Only for an image that is decoded at its size.
    var decodedPart: [UInt8] {
        precondition(size == image.size)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: memory, count: 4 * rows * size.width))
    }
}
