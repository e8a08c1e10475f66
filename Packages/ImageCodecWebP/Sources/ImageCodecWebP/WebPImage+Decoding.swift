import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WebPImage {
    /// Decodes the image, whose chunks are in `range`, to RGBA without padding, in memory from `pool` if there is one.
    func pixels(at range: Range<Int>, of data: Data, pool: PixelBufferPool?) throws(DecodingFailure) -> [UInt8] {
        var pixels = Self.memory(byteCount: 4 * size.area, pool: pool)
        // On an error, pixels that libwebp has not written are discarded.
        try decode(at: range, of: data, into: &pixels)
        return pixels
    }

    /// Returns memory with arbitrary bytes, from `pool` if there is one.
    static func memory(byteCount: Int, pool: PixelBufferPool?) -> [UInt8] {
        if let pool { return pool.takeFilled(byteCount: byteCount) }
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount }
    }

    /// Decodes the image to RGBA without padding.
    func decode(at range: Range<Int>, of data: Data, into pixels: inout [UInt8]) throws(DecodingFailure) {
        let outcome = unsafe pixels.withUnsafeMutableBufferPointer { target in
            unsafe decode(at: range, of: data, into: target, stride: 4 * size.width)
        }
        try check(outcome)
    }

    /// Decodes the image to `target`, with rows that are `stride` bytes apart. The last row needs no padding.
    @unsafe func decode(
        at range: Range<Int>, of data: Data, into target: UnsafeMutableBufferPointer<UInt8>, stride: Int
    ) -> webp_outcome {
        precondition(stride >= 4 * size.width && target.count >= (size.height - 1) * stride + 4 * size.width)
        let outcome = unsafe data.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe webp_decode(part.baseAddress, part.count, target.baseAddress, stride, target.count)
        }
        // A lossless image stores alpha even if its header declares none, and the header applies (RFC 9649, 3.4).
        if outcome == webp_ok, isLossless, !hasAlpha, let first = target.baseAddress {
            for y in 0..<size.height { unsafe webp_make_opaque(first + y * stride, size.width) }
        }
        return outcome
    }
}
