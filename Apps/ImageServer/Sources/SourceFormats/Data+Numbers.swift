import Foundation

extension Data {
    /// Appends the bytes of a number, the most significant one first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends the bytes of a number, the least significant one first.
    mutating func append(littleEndian number: some FixedWidthInteger) { append(bigEndian: number.byteSwapped) }

    /// Returns a number of up to 4 bytes at an offset from the start, the most significant byte first. Nil beyond the
    /// end.
    func bigEndian(at offset: Int, _ count: Int) -> Int? {
        part(offset, count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The same, the least significant byte first.
    func littleEndian(at offset: Int, _ count: Int) -> Int? {
        part(offset, count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the bytes from an offset, or nil beyond the end.
    func part(_ offset: Int, _ count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= self.count - count else { return nil }
        return self[startIndex + offset..<startIndex + offset + count]
    }
}
