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

    /// Decodes one picture, whose chunks lie in `range`.
    init(_ picture: WebPPicture, at range: Range<Int>, of data: Data) throws(DecodingFailure) {
        size = picture.size
        var outcome = webp_malformed
        let area = size.area
        let (width, height) = (CInt(size.width), CInt(size.height))
        // Not zeroed first. When libwebp fails, part of it stays unwritten; nothing is then read.
        values = unsafe [UInt32](unsafeUninitializedCapacity: area) { target, count in
            let rgba = unsafe UnsafeMutableRawBufferPointer(target).assumingMemoryBound(to: UInt8.self).baseAddress
            outcome = unsafe data.withUnsafeBytes { bytes in
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                return unsafe webp_decode(part.baseAddress, part.count, width, height, rgba)
            }
            count = outcome == webp_ok ? area : 0
        }
        try check(outcome)
    }

    func send(to sink: any PixelRowSink) throws(DecodingFailure) {
        for y in 0..<size.height {
            let row = unsafe values.span.extracting(y * size.width..<(y + 1) * size.width).bytes
            try sink.receive(Span(_bytes: row))
        }
    }
}
