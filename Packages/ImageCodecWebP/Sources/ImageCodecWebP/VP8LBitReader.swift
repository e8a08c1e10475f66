import ImageCore

/// Takes numbers of some bits, least significant first, from a VP8L stream (RFC 9649, 3.2).
struct VP8LBitReader {
    private var cursor: Int
    private let end: Int
    private var accumulator: UInt64 = 0
    private var bitCount = 0

    init(_ range: Range<Int>) {
        cursor = range.lowerBound
        end = range.upperBound
    }

    /// - Parameter count: from 0 to 32.
    /// - Throws: `.truncated` when fewer bits are left.
    mutating func read(_ count: Int, from source: Span<UInt8>) throws(DecodingFailure) -> Int {
        while bitCount < count {
            guard cursor < end else { throw .truncated(.webp) }
            accumulator |= UInt64(source[cursor]) << UInt64(bitCount)
            cursor += 1
            bitCount += 8
        }
        let value = accumulator & (1 << UInt64(count) - 1)
        accumulator >>= UInt64(count)
        bitCount -= count
        return Int(value)
    }

    mutating func readFlag(from source: Span<UInt8>) throws(DecodingFailure) -> Bool {
        try read(1, from: source) == 1
    }
}
