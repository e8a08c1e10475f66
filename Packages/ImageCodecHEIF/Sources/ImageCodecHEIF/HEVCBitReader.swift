#if HEIF
    import ImageCore

    /// Reads the bits of a NAL unit (ITU-T H.265, 7.3 and 9.2), after its header of two bytes.
    struct HEVCBitReader {
        private let bytes: [UInt8]
        private var position = 0

        /// - Parameter unit: The first bytes of the NAL unit. Emulation prevention bytes are removed (7.3.1.1).
        init(_ unit: some Collection<UInt8>) {
            var bytes: [UInt8] = []
            var zeros = 0
            for byte in unit.dropFirst(2) {
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                bytes.append(byte)
            }
            self.bytes = bytes
        }

        /// Reads an unsigned number of up to 32 bits. Throws `.malformed` at the end.
        mutating func bits(_ count: Int) throws(DecodingFailure) -> Int {
            guard count <= 8 * bytes.count - position else { throw .malformed(.heic, "a parameter set ends too early") }
            var value = 0
            for _ in 0..<count {
                value = value << 1 | Int(bytes[position >> 3] >> (7 - UInt8(position & 7)) & 1)
                position += 1
            }
            return value
        }

        /// Reads a bit.
        mutating func flag() throws(DecodingFailure) -> Bool { try bits(1) == 1 }

        mutating func skip(_ count: Int) throws(DecodingFailure) {
            guard count <= 8 * bytes.count - position else { throw .malformed(.heic, "a parameter set ends too early") }
            position += count
        }

        /// Reads an unsigned Exp-Golomb code of at most 32 bits, `ue(v)`.
        mutating func code() throws(DecodingFailure) -> Int {
            var zeros = 0
            while try !flag() {
                zeros += 1
                guard zeros <= 31 else { throw .malformed(.heic, "a parameter set has an invalid number") }
            }
            return (1 << zeros) - 1 + (try bits(zeros))
        }

        /// Reads an unsigned Exp-Golomb code. Throws `.malformed` if it is above `largest`.
        mutating func code(upTo largest: Int) throws(DecodingFailure) -> Int {
            let value = try code()
            guard value <= largest else { throw .malformed(.heic, "a parameter set has a number out of range") }
            return value
        }
    }
#endif
