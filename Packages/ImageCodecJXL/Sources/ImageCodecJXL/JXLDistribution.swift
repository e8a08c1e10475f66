#if JXL
    import ImageCore

    /// The frequencies of symbols, with which an asymmetric numeral system codes them (ISO/IEC 18181-1, annex C).
    struct JXLDistribution {
        /// A symbol and the offset of its first state in a part of the bucket.
        private struct Bucket {
            /// The number of states that belong to the symbol with the number of the bucket.
            var cutoff: Int
            var otherSymbol = 0
            var otherOffset = 0
        }

        private static let stateCount = 1 << 12

        private let frequencies: [Int]
        private let bucketSize: Int
        private let buckets: [Bucket]

        /// Creates the alias table.
        ///
        /// - Parameter alphabetBits: The base-2 logarithm of the number of buckets.
        private init(_ frequencies: [Int], alphabetBits: Int) throws(DecodingFailure) {
            let bucketCount = 1 << alphabetBits
            let unused = bucketCount - frequencies.count
            guard unused >= 0 else { throw .malformed(.jxl, "an alphabet is too large") }
            self.frequencies = frequencies + [Int](repeating: 0, count: unused)
            let size = Self.stateCount >> alphabetBits
            bucketSize = size
            if let only = frequencies.firstIndex(of: Self.stateCount) {
                buckets = (0..<bucketCount).map { Bucket(cutoff: 0, otherSymbol: only, otherOffset: size * $0) }
            } else {
                buckets = Self.buckets(self.frequencies, size: size)
            }
        }

        /// Fills each bucket with states of a frequent symbol.
        private static func buckets(_ frequencies: [Int], size: Int) -> [Bucket] {
            var buckets = frequencies.map { Bucket(cutoff: $0) }
            var full = buckets.indices.filter { buckets[$0].cutoff > size }
            var free = buckets.indices.filter { buckets[$0].cutoff < size }
            while let source = full.popLast(), let target = free.popLast() {
                buckets[source].cutoff -= size - buckets[target].cutoff
                buckets[target].otherSymbol = source
                buckets[target].otherOffset = buckets[source].cutoff - buckets[target].cutoff
                if buckets[source].cutoff < size { free.append(source) }
                if buckets[source].cutoff > size { full.append(source) }
            }
            return buckets
        }

        /// Returns the next symbol and updates the state.
        func symbol(_ state: inout UInt32, from reader: inout JXLBitReader) throws(DecodingFailure) -> Int {
            let index = Int(state) % Self.stateCount
            let (number, position) = index.quotientAndRemainder(dividingBy: bucketSize)
            let bucket = buckets[number]
            let isOther = position >= bucket.cutoff
            let symbol = isOther ? bucket.otherSymbol : number
            let offset = isOther ? bucket.otherOffset + position : position
            state = UInt32(frequencies[symbol]) * (state >> 12) + UInt32(offset)
            if state < 1 << 16 { state = state << 16 | UInt32(try reader.bits(16)) }
            return symbol
        }
    }

    extension JXLDistribution {
        /// The code of the logarithms of frequencies: the number of bits, and the bits, the first of which is the lowest.
        private static let logarithmCode = [
            (5, 0b10001), (4, 0b1011), (4, 0b1111), (4, 0b0011), (4, 0b1001), (4, 0b0111), (3, 0b100), (3, 0b010),
            (3, 0b101), (3, 0b110), (3, 0b000), (6, 0b100001), (7, 0b0000001), (7, 0b1000001),
        ]

        static func read(
            alphabetBits: Int, from reader: inout JXLBitReader
        ) throws(DecodingFailure) -> JXLDistribution {
            let frequencies = try reader.bool() ? readSimple(&reader) : readFrequencies(&reader)
            return try JXLDistribution(frequencies, alphabetBits: alphabetBits)
        }

        /// Reads the frequencies of one or two symbols.
        private static func readSimple(_ reader: inout JXLBitReader) throws(DecodingFailure) -> [Int] {
            let hasTwo = try reader.bool()
            let first = try reader.shortInteger()
            let second = hasTwo ? try reader.shortInteger() : first
            var frequencies = [Int](repeating: 0, count: max(first, second) + 1)
            let frequency = hasTwo ? try reader.bits(12) : stateCount
            guard hasTwo == (first != second) else { throw .malformed(.jxl, "a distribution repeats a symbol") }
            frequencies[second] = stateCount - frequency
            frequencies[first] = frequency
            return frequencies
        }

        private static func readFrequencies(_ reader: inout JXLBitReader) throws(DecodingFailure) -> [Int] {
            if try reader.bool() {
                let count = try reader.shortInteger() + 1
                return (0..<count).map { stateCount / count + ($0 < stateCount % count ? 1 : 0) }
            }
            var bitCount = 0
            while bitCount < 3, try reader.bool() { bitCount += 1 }
            let shift = (try reader.bits(bitCount) | 1 << bitCount) - 1
            let count = try reader.shortInteger() + 3
            guard shift <= 13 else { throw .malformed(.jxl, "a distribution has an invalid precision") }
            let steps = try readLogarithms(count, &reader)
            return try readFrequencies(steps, shift: shift, &reader)
        }

        /// A logarithm plus one, or 0 for a frequency of 0, or a number of repetitions of the frequency before.
        private enum Step: Equatable {
            case logarithm(Int)
            case repeated(Int)
        }

        private static func readLogarithms(
            _ count: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Step] {
            var steps: [Step] = []
            var position = 0
            while position < count {
                let symbol = try readLogarithm(&reader)
                let repetitions = symbol == 13 ? try reader.shortInteger() + 4 : 1
                steps.append(symbol == 13 ? .repeated(min(repetitions, count - position)) : .logarithm(symbol))
                position += repetitions
            }
            return steps
        }

        private static func readLogarithm(_ reader: inout JXLBitReader) throws(DecodingFailure) -> Int {
            var (code, length) = (0, 0)
            while true {
                code |= (try reader.bits(1)) << length
                length += 1
                if let symbol = logarithmCode.firstIndex(where: { $0 == (length, code) }) { return symbol }
            }
        }

        /// Reads the lower bits of the frequencies. The most frequent symbol has what the others leave.
        private static func readFrequencies(
            _ steps: [Step], shift: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Int] {
            var largest = -1
            for case .logarithm(let logarithm) in steps { largest = max(largest, logarithm) }
            let omitted = steps.firstIndex(of: .logarithm(largest))
            var frequencies: [Int] = []
            var omittedIndex = 0
            for (number, step) in steps.enumerated() {
                switch step {
                case .repeated(let count):
                    frequencies += [Int](repeating: frequencies.last ?? 0, count: count)
                case .logarithm where number == omitted:
                    omittedIndex = frequencies.count
                    frequencies.append(0)
                case .logarithm(let logarithm):
                    frequencies.append(try frequency(logarithm, shift: shift, &reader))
                }
            }
            let rest = stateCount - frequencies.reduce(0, +)
            guard omitted != nil, rest > 0 else { throw .malformed(.jxl, "a distribution is invalid") }
            frequencies[omittedIndex] = rest
            return frequencies
        }

        private static func frequency(
            _ logarithm: Int, shift: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> Int {
            if logarithm < 2 { return logarithm }
            let exponent = logarithm - 1
            let bitCount = max(0, min(exponent, shift - (12 - exponent) >> 1))
            return 1 << exponent + (try reader.bits(bitCount)) << (exponent - bitCount)
        }
    }
#endif
