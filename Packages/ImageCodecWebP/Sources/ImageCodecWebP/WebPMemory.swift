import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WebPImage {
    /// Checks the memory for decoding against the limits: `outputBytes` and the worst case of libwebp.
    ///
    /// A lossless image needs 4 bytes per pixel, its small images and its tables. The alpha of a lossy image needs 1
    /// byte per pixel, and as much as a lossless image if it is losslessly encoded.
    ///
    /// - Parameter range: The range of the image's chunks, optionally with a RIFF header.
    /// - Throws: `.limitExceeded`, or `.truncated` or `.malformed` for the header of a lossless image.
    func checkMemory(
        outputBytes: Int, at range: Range<Int>, of data: Data, limits: DecodingLimits
    ) throws(DecodingFailure) {
        let plain = size.area.bytes(each: isLossless ? 4 : hasAlpha ? 5 : 0, plus: outputBytes)
        try limits.check(.decodedBytes, plain)
        guard isLossless || hasAlpha, let stream = LosslessStream(in: range, of: data.span) else { return }
        let estimate = try VP8LMemoryEstimate(of: stream.range, hasHeader: stream.hasHeader, size: size, in: data.span)
        try limits.check(.decodedBytes, plain + estimate.byteCount)
    }
}

extension Int {
    /// Returns the size of this many items of `bytes` bytes and `others` bytes. Returns `Int.max` on overflow.
    fileprivate func bytes(each bytes: Int, plus others: Int) -> Int {
        let (product, isTooLarge) = multipliedReportingOverflow(by: bytes)
        let (sum, areTooMany) = product.addingReportingOverflow(others)
        return isTooLarge || areTooMany ? .max : sum
    }
}

/// The location of the losslessly encoded part of an image: the image itself, or the alpha of a lossy image.
private struct LosslessStream {
    var range: Range<Int>
    /// Whether the stream starts with a header.
    var hasHeader: Bool

    /// Searches the chunks up to the image, as libwebp does. The last ALPH chunk before the image applies.
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
                // The low bits of the first byte are the compression method: 1 is lossless (RFC 9649, 2.7.1.2).
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
    /// Returns four characters. Returns an empty string at the end of the bytes.
    fileprivate func name(at offset: Int) -> String {
        guard offset + 4 <= count else { return "" }
        return String(decoding: (offset..<offset + 4).map { self[$0] }, as: UTF8.self)
    }

    /// Returns the little-endian number of four bytes, which must exist.
    fileprivate func word(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }
}
