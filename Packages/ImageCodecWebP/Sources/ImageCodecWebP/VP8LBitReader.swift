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
        let value = peek(count, from: source)
        try skip(count)
        return value
    }

    /// What `read` would return, and zeros for bits behind the end. They are not taken yet.
    ///
    /// - Parameter count: from 0 to 32.
    mutating func peek(_ count: Int, from source: Span<UInt8>) -> Int {
        while bitCount < count, cursor < end {
            accumulator |= UInt64(source[cursor]) << UInt64(bitCount)
            cursor += 1
            bitCount += 8
        }
        return Int(accumulator & (1 << UInt64(count) - 1))
    }

    /// Takes bits that were peeked at.
    mutating func skip(_ count: Int) throws(DecodingFailure) {
        guard count <= bitCount else { throw .truncated(.webp) }
        accumulator >>= UInt64(count)
        bitCount -= count
    }

    mutating func readFlag(from source: Span<UInt8>) throws(DecodingFailure) -> Bool {
        try read(1, from: source) == 1
    }
}
