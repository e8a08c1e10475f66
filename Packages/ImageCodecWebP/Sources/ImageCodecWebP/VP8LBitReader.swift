import ImageCore

/// Reads bits of a VP8L stream, least significant first (RFC 9649, 3.2).
struct VP8LBitReader {
    private var cursor: Int
    private let end: Int
    private var accumulator: UInt64 = 0
    private var bitCount = 0

    init(_ range: Range<Int>) {
        cursor = range.lowerBound
        end = range.upperBound
    }

    /// Reads and consumes bits.
    ///
    /// - Parameter count: 0 to 32.
    /// - Throws: `.truncated` if fewer bits are left.
    mutating func read(_ count: Int, from source: Span<UInt8>) throws(DecodingFailure) -> Int {
        let value = peek(count, from: source)
        try skip(count)
        return value
    }

    /// Returns the next bits without consuming them. Bits after the end are 0.
    ///
    /// - Parameter count: 0 to 32.
    mutating func peek(_ count: Int, from source: Span<UInt8>) -> Int {
        while bitCount < count, cursor < end {
            accumulator |= UInt64(source[cursor]) << UInt64(bitCount)
            cursor += 1
            bitCount += 8
        }
        return Int(accumulator & (1 << UInt64(count) - 1))
    }

    /// Consumes bits after a `peek`.
    mutating func skip(_ count: Int) throws(DecodingFailure) {
        guard count <= bitCount else { throw .truncated(.webp) }
        accumulator >>= UInt64(count)
        bitCount -= count
    }

    mutating func readFlag(from source: Span<UInt8>) throws(DecodingFailure) -> Bool {
        try read(1, from: source) == 1
    }
}
