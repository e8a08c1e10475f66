import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Straight RGBA pixels, four bytes each in memory order.
struct WebPPixels {
    let size: PixelSize
    var values: [UInt32]

    /// Transparent everywhere.
    init(clear size: PixelSize) {
        self.size = size
        values = [UInt32](repeating: 0, count: size.area)
    }

    /// Decodes one image, whose chunks lie in `range`.
    init(_ image: WebPPicture, at range: Range<Int>, of data: Data) throws(DecodingFailure) {
        size = image.size
        var outcome = webp_malformed
        let area = size.area
        // Not zeroed first. When libwebp fails, part of it stays unwritten; nothing is then read.
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

extension WebPPicture {
    /// The image as packed RGBA, in memory from `pool` where there is one. Its chunks lie in `range`.
    func pixels(at range: Range<Int>, of data: Data, pool: PixelBufferPool?) throws(DecodingFailure) -> [UInt8] {
        let byteCount = 4 * size.area
        var pixels = pool?.takeFilled(byteCount: byteCount) ?? []
        if pool == nil { pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount } }
        let outcome = unsafe pixels.withUnsafeMutableBufferPointer { target in
            unsafe decode(at: range, of: data, into: target)
        }
        // What libwebp may have left unwritten goes with the error.
        try check(outcome)
        return pixels
    }

    /// `target` holds four bytes a pixel.
    @unsafe fileprivate func decode(
        at range: Range<Int>, of data: Data, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> webp_outcome {
        let outcome = unsafe data.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe webp_decode(
                part.baseAddress, part.count, CInt(size.width), CInt(size.height), target.baseAddress)
        }
        // A lossless image stores alpha also where its header says that there is none (RFC 9649, 3.4), and the header counts.
        if outcome == webp_ok, isLossless, !hasAlpha {
            unsafe webp_make_opaque(target.baseAddress, size.area)
        }
        return outcome
    }
}
