#if JXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Reads the fields of headers (ISO/IEC 18181-1, annex B). Throws `.truncated` at the end of the bytes.
    struct JXLBitReader {
        /// A number of bits to read, and an offset to add.
        typealias Choice = (bits: Int, offset: Int)

        private let bytes: Data
        /// The position in bits.
        private var position: Int

        init(_ bytes: Data, at byteOffset: Int) {
            self.bytes = bytes
            position = 8 * byteOffset
        }

        /// The number of the byte after the position, or at it.
        var byteOffset: Int { (position + 7) / 8 }

        /// Reads up to 32 bits, the lowest first.
        mutating func bits(_ count: Int) throws(DecodingFailure) -> Int {
            guard position + count <= 8 * bytes.count else { throw .truncated(.jxl) }
            var value = 0
            for index in 0..<count {
                let bit = bytes[bytes.startIndex + position / 8] >> UInt8(position % 8) & 1
                value |= Int(bit) << index
                position += 1
            }
            return value
        }

        mutating func bool() throws(DecodingFailure) -> Bool { try bits(1) == 1 }

        /// Reads two bits and then one of four choices (U32, B.2.2).
        mutating func choice(
            _ first: Choice, _ second: Choice, _ third: Choice, _ fourth: Choice
        ) throws(DecodingFailure) -> Int {
            let chosen = [first, second, third, fourth][try bits(2)]
            return try bits(chosen.bits) + chosen.offset
        }

        /// Reads a number of up to 64 bits (U64, B.2.3).
        mutating func integer() throws(DecodingFailure) -> UInt64 {
            switch try bits(2) {
            case 0: return 0
            case 1: return UInt64(try bits(4) + 1)
            case 2: return UInt64(try bits(8) + 17)
            default: break
            }
            var value = UInt64(try bits(12))
            for shift in stride(from: UInt64(12), through: 60, by: 8) {
                guard try bool() else { return value }
                value |= UInt64(try bits(shift == 60 ? 4 : 8)) << shift
            }
            return value
        }

        /// Skips bits, which must exist.
        mutating func skip(_ count: UInt64) throws(DecodingFailure) {
            guard count <= UInt64(8 * bytes.count - position) else { throw .truncated(.jxl) }
            position += Int(count)
        }

        /// Skips the rest of a byte.
        mutating func align() { position = 8 * byteOffset }

        /// Skips the extensions at the end of a bundle of fields (B.3).
        mutating func skipExtensions() throws(DecodingFailure) {
            var lengths: [UInt64] = []
            for _ in 0..<(try integer().nonzeroBitCount) { lengths.append(try integer()) }
            for length in lengths { try skip(length) }
        }
    }
#endif
