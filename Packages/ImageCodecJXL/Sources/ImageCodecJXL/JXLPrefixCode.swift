#if JXL
    import ImageCore

    /// A prefix code, as in Brotli (RFC 7932, 3).
    struct JXLPrefixCode {
        /// The number of symbols of each length.
        private var counts = [Int](repeating: 0, count: 16)
        /// The symbols in the order of their codes.
        private let symbols: [Int]

        /// Creates a code from the length of each symbol, which is 0 for symbols that do not occur.
        init(lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            symbols = (1..<16).flatMap { length in lengths.indices.filter { lengths[$0] == length } }
        }

        func symbol(from reader: inout JXLBitReader) throws(DecodingFailure) -> Int {
            if symbols.count == 1 { return symbols[0] }
            var (code, first, index) = (0, 0, 0)
            for length in 1..<16 {
                code = code << 1 | (try reader.bits(1))
                first <<= 1
                if code - first < counts[length] { return symbols[index + code - first] }
                index += counts[length]
                first += counts[length]
            }
            throw .malformed(.jxl, "a symbol is not in its prefix code")
        }
    }

    extension JXLPrefixCode {
        private static let orderOfLengths = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        /// The code of the lengths of the code of lengths: 0, 3 and 4 have 2 bits, 2 has 3, and 1 and 5 have 4.
        private static let lengthsOfLengths = JXLPrefixCode(lengths: [2, 4, 3, 2, 2, 4])

        static func read(
            alphabetSize: Int, from reader: inout JXLBitReader
        ) throws(DecodingFailure) -> JXLPrefixCode {
            if alphabetSize == 1 { return JXLPrefixCode(lengths: [1]) }
            let skipped = try reader.bits(2)
            let lengths =
                skipped == 1
                ? try readSimple(alphabetSize, &reader) : try readLengths(alphabetSize, skipped: skipped, &reader)
            return JXLPrefixCode(lengths: lengths)
        }

        /// Reads a code of one to four symbols (RFC 7932, 3.4).
        private static func readSimple(
            _ alphabetSize: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Int] {
            let bitCount = Int.bitWidth - (alphabetSize - 1).leadingZeroBitCount
            let count = try reader.bits(2) + 1
            var symbols: [Int] = []
            for _ in 0..<count { symbols.append(try reader.bits(bitCount)) }
            let isUneven = count == 4 ? try reader.bool() : count == 3
            guard symbols.allSatisfy({ $0 < alphabetSize }), Set(symbols).count == count else {
                throw .malformed(.jxl, "a prefix code has invalid symbols")
            }
            let lengths = count < 3 ? [1, 1] : !isUneven ? [2, 2, 2, 2] : count == 3 ? [1, 2, 2] : [1, 2, 3, 3]
            var result = [Int](repeating: 0, count: alphabetSize)
            for (symbol, length) in zip(symbols, lengths) { result[symbol] = length }
            return result
        }

        /// Reads the lengths of all symbols (RFC 7932, 3.5).
        private static func readLengths(
            _ alphabetSize: Int, skipped: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Int] {
            var lengths = [Int](repeating: 0, count: 18)
            var space = 32
            for index in orderOfLengths.dropFirst(skipped) where space > 0 {
                lengths[index] = try lengthsOfLengths.symbol(from: &reader)
                if lengths[index] > 0 { space -= 32 >> lengths[index] }
            }
            guard space == 0 || lengths.filter({ $0 > 0 }).count == 1 else {
                throw .malformed(.jxl, "a prefix code is incomplete")
            }
            return try readLengths(alphabetSize, code: JXLPrefixCode(lengths: lengths), &reader)
        }

        private static func readLengths(
            _ alphabetSize: Int, code: JXLPrefixCode, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Int] {
            var lengths: [Int] = []
            var space = 1 << 15
            var (previous, repeated, repeatCount) = (8, 0, 0)
            while lengths.count < alphabetSize, space > 0 {
                let symbol = try code.symbol(from: &reader)
                if symbol < 16 {
                    repeatCount = 0
                    lengths.append(symbol)
                    if symbol > 0 { (previous, space) = (symbol, space - 1 << (15 - symbol)) }
                    continue
                }
                let length = symbol == 16 ? previous : 0
                if repeated != length { (repeated, repeatCount) = (length, 0) }
                let before = repeatCount
                if repeatCount > 0 { repeatCount = (repeatCount - 2) << (symbol - 14) }
                repeatCount += try reader.bits(symbol - 14) + 3
                lengths += [Int](repeating: length, count: min(repeatCount - before, alphabetSize + 1))
                if length > 0 { space -= (repeatCount - before) << (15 - length) }
            }
            guard space == 0, lengths.count <= alphabetSize else {
                throw .malformed(.jxl, "a prefix code is incomplete")
            }
            return lengths
        }
    }
#endif
