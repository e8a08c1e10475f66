// Inlinable, so that other modules have specialized code for `Data` and arrays.

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns the unsigned integer of up to 8 bytes at an offset from the start, the most significant byte first.
    ///
    /// Returns nil if it exceeds the bytes or the type, which is `Int` by default.
    @inlinable
    package func bigEndian<Number: FixedWidthInteger>(
        at offset: Int, _ byteCount: Int, as type: Number.Type = Int.self
    ) -> Number? {
        part(at: offset, byteCount).flatMap { Number(exactly: $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    }

    /// The same, the least significant byte first.
    @inlinable
    package func littleEndian<Number: FixedWidthInteger>(
        at offset: Int, _ byteCount: Int, as type: Number.Type = Int.self
    ) -> Number? {
        part(at: offset, byteCount).flatMap {
            Number(exactly: $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    /// Returns the bytes from an offset, or nil if they exceed the collection.
    @inlinable
    package func part(at offset: Int, _ byteCount: Int) -> SubSequence? {
        guard offset >= 0, byteCount >= 0, offset <= count - byteCount else { return nil }
        return self[startIndex + offset..<startIndex + offset + byteCount]
    }
}

extension Int {
    /// The lower 32 bits, the most significant byte first.
    package var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}

extension RangeReplaceableCollection<UInt8> {
    /// Appends the bytes of an integer, the most significant one first.
    @inlinable
    package mutating func append(bigEndian integer: some FixedWidthInteger) {
        for shift in stride(from: integer.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }

    /// Appends the bytes of an integer, the least significant one first.
    @inlinable
    package mutating func append(littleEndian integer: some FixedWidthInteger) {
        append(bigEndian: integer.byteSwapped)
    }
}
