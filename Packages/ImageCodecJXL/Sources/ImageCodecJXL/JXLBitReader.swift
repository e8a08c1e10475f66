#if JXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Reads the fields of headers (ISO/IEC 18181-1, annex B). Throws `.truncated` at the end of the bytes.
    struct JXLBitReader {
        /// A value, or a number of bits to read and to add to an offset.
        enum Choice {
            case value(Int)
            case bits(Int, plus: Int)
        }

        private let bytes: Data
        /// The position in bits.
        private(set) var position: Int

        init(_ bytes: Data, at byteOffset: Int) {
            self.bytes = bytes
            position = 8 * byteOffset
        }

        /// The number of the byte at the position, which must be the start of a byte.
        var byteOffset: Int { (position + 7) / 8 }

        /// Reads up to 32 bits, the lowest first.
        mutating func bits(_ count: Int) throws(DecodingFailure) -> Int {
            guard position + count <= 8 * bytes.count else { throw .truncated(.jxl) }
            var value = 0
            var read = 0
            while read < count {
                let byte = Int(bytes[bytes.startIndex + position / 8])
                let taken = min(8 - position % 8, count - read)
                value |= ((byte >> (position % 8)) & ((1 << taken) - 1)) << read
                read += taken
                position += taken
            }
            return value
        }

        mutating func bool() throws(DecodingFailure) -> Bool { try bits(1) == 1 }

        /// Reads two bits and then one of four choices (U32, B.2.2).
        mutating func choice(
            _ first: Choice, _ second: Choice, _ third: Choice, _ fourth: Choice
        ) throws(DecodingFailure) -> Int {
            let chosen =
                switch try bits(2) {
                case 0: first
                case 1: second
                case 2: third
                default: fourth
                }
            switch chosen {
            case .value(let value): return value
            case .bits(let count, let offset): return try bits(count) + offset
            }
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
            var shift: UInt64 = 12
            while try bool() {
                let count = shift == 60 ? 4 : 8
                value |= UInt64(try bits(count)) << shift
                if shift == 60 { break }
                shift += 8
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
            let extensions = try integer()
            var total: UInt64 = 0
            for _ in 0..<extensions.nonzeroBitCount {
                let (sum, isTooLarge) = total.addingReportingOverflow(try integer())
                guard !isTooLarge else { throw .malformed(.jxl, "the extensions are too long") }
                total = sum
            }
            try skip(total)
        }
    }
#endif
