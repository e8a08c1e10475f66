import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// RGBA pixels with straight alpha, four bytes each in memory order.
struct WebPPixels {
    let size: PixelSize
    var values: [UInt32]

    /// Creates transparent pixels.
    init(clear size: PixelSize) {
        self.size = size
        values = [UInt32](repeating: 0, count: size.area)
    }

    /// Decodes an image whose chunks are in `range`.
    init(_ image: WebPImage, at range: Range<Int>, of data: Data) throws(DecodingFailure) {
        size = image.size
        var outcome = webp_malformed
        let area = size.area
        // The memory is not zeroed. If libwebp fails, the count is 0, so that unwritten memory is never read.
        values = unsafe [UInt32](unsafeUninitializedCapacity: area) { target, count in
            let rgba = unsafe UnsafeMutableRawBufferPointer(target).bindMemory(to: UInt8.self)
            outcome = unsafe image.decode(at: range, of: data, into: rgba)
            count = outcome == webp_ok ? area : 0
        }
        try check(outcome)
    }

    func send(rows: Int, to sink: any PixelRowSink) throws(DecodingFailure) {
        for y in 0..<rows {
            let row = unsafe values.span.extracting(y * size.width..<(y + 1) * size.width).bytes
            try sink.receive(Span(_bytes: row))
        }
    }
}

extension WebPImage {
    /// Decodes the image, whose chunks are in `range`, to RGBA without padding, in memory from `pool` if there is one.
    func pixels(at range: Range<Int>, of data: Data, pool: PixelBufferPool?) throws(DecodingFailure) -> [UInt8] {
        let byteCount = 4 * size.area
        var pixels = pool?.takeFilled(byteCount: byteCount) ?? []
        if pool == nil { pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount } }
        let outcome = unsafe pixels.withUnsafeMutableBufferPointer { target in
            unsafe decode(at: range, of: data, into: target)
        }
        // On an error, pixels that libwebp has not written are discarded.
        try check(outcome)
        return pixels
    }

    /// Decodes the image to `target`, which holds four bytes per pixel.
    @unsafe fileprivate func decode(
        at range: Range<Int>, of data: Data, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> webp_outcome {
        let outcome = unsafe data.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe webp_decode(
                part.baseAddress, part.count, CInt(size.width), CInt(size.height), target.baseAddress)
        }
        // A lossless image stores alpha even if its header declares none, and the header applies (RFC 9649, 3.4).
        if outcome == webp_ok, isLossless, !hasAlpha {
            unsafe webp_make_opaque(target.baseAddress, size.area)
        }
        return outcome
    }
}
