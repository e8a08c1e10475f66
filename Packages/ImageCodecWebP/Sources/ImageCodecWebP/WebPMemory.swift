import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WebPPicture {
    /// Bytes that decoding takes: the output, `outputBytes`, and what libwebp holds besides for the whole image at worst.
    ///
    /// A lossless image: 4 bytes a pixel, its small images and its tables. Alpha beside a lossy image: 1 byte a
    /// pixel, and for the lossless image in which it may be coded, the same again as for any.
    ///
    /// - Parameter range: where the image's chunks lie; a RIFF header may come first.
    /// - Throws: `.truncated` or `.malformed` when the header of a lossless image is, and `.limitExceeded`.
    func checkMemory(
        beside outputBytes: Int, at range: Range<Int>, of data: Data, limits: DecodingLimits
    ) throws(DecodingFailure) {
        let plain = size.area.bytes(each: isLossless ? 4 : hasAlpha ? 5 : 0, beside: outputBytes)
        try limits.check(.decodedBytes, plain)
        guard isLossless || hasAlpha, let stream = LosslessStream(in: range, of: data.span) else { return }
        let forecast = try VP8LForecast(of: stream.range, hasHeader: stream.hasHeader, size: size, in: data.span)
        try limits.check(.decodedBytes, plain + forecast.byteCount)
    }
}

extension Int {
    /// This many items of `bytes` bytes and `others` bytes; `Int.max` when that overflows.
    fileprivate func bytes(each bytes: Int, beside others: Int) -> Int {
        let (product, isTooLarge) = multipliedReportingOverflow(by: bytes)
        let (sum, areTooMany) = product.addingReportingOverflow(others)
        return isTooLarge || areTooMany ? .max : sum
    }
}

/// Where the losslessly coded part of an image lies: the image itself, or the alpha of a lossy one.
private struct LosslessStream {
    var range: Range<Int>
    /// Whether it starts with a header of its own.
    var hasHeader: Bool

    /// Looks through the chunks up to the image's own, as libwebp does: the last ALPH chunk before it counts.
    init?(in range: Range<Int>, of source: Span<UInt8>) {
        var offset = range.lowerBound
        if source.name(at: offset) == "RIFF" { offset += 12 }
        var alpha: Range<Int>?
        while offset + 8 <= range.upperBound {
            let size = source.word(at: offset + 4)
            let payload = offset + 8..<min(range.upperBound, offset + 8 + size)
            switch source.name(at: offset) {
            case "VP8L":
                (self.range, hasHeader) = (payload, true)
                return
            case "VP8 ":
                guard let alpha else { return nil }
                (self.range, hasHeader) = (alpha, false)
                return
            case "ALPH":
                // The first byte tells in its low bits how alpha is coded: 1 is lossless (RFC 9649, 2.7.1.2).
                let isCoded = !payload.isEmpty && source[payload.lowerBound] & 3 == 1
                alpha = isCoded ? payload.dropFirst() : nil
            default: break
            }
            offset += 8 + size + size % 2
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Four characters; empty where there are not as many bytes.
    fileprivate func name(at offset: Int) -> String {
        guard offset + 4 <= count else { return "" }
        return String(decoding: (offset..<offset + 4).map { self[$0] }, as: UTF8.self)
    }

    /// A little-endian number of four bytes, which must be there.
    fileprivate func word(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }
}
