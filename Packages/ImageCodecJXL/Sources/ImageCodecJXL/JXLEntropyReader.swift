#if JXL
    import ImageCore

    /// Reads entropy-coded integers (ISO/IEC 18181-1, annex C).
    struct JXLEntropyReader {
        private enum Code {
            case prefix(JXLPrefixCode)
            case distribution(JXLDistribution)
        }

        /// The division of an integer into a symbol and bits (hybrid integer).
        private struct Division {
            var exponent = 0
            var highBits = 0
            var lowBits = 0
        }

        /// The symbols that repeat earlier integers.
        private struct Repetition {
            var firstSymbol: Int
            var minimumLength: Int
            var division: Division
        }

        private let repetition: Repetition?
        /// The code of each context. The last one is that of distances if there are repetitions.
        private var codeNumbers = [0]
        private var codes: [Code] = []
        private var divisions: [Division] = []
        private var state: UInt32?
        private var integers: [Int] = []
        private var copied: (start: Int, count: Int) = (0, 0)

        /// Reads the codes of a number of contexts.
        ///
        /// - Parameter allowsRepetition: Whether symbols can repeat integers. Not in the codes that number one or two contexts,
        ///   which could otherwise be nested without end.
        init(
            contextCount: Int, allowsRepetition: Bool = true, from reader: inout JXLBitReader
        ) throws(DecodingFailure) {
            repetition = try reader.bool() ? Self.readRepetition(&reader) : nil
            guard allowsRepetition || repetition == nil else { throw .malformed(.jxl, "a code repeats contexts") }
            let count = contextCount + (repetition == nil ? 0 : 1)
            if count > 1 { codeNumbers = try Self.readCodeNumbers(count, &reader) }
            let codeCount = (codeNumbers.max() ?? 0) + 1
            let usesPrefixes = try reader.bool()
            let alphabetBits = usesPrefixes ? 15 : try reader.bits(2) + 5
            for _ in 0..<codeCount { divisions.append(try Self.readDivision(alphabetBits, &reader)) }
            codes =
                try usesPrefixes
                ? Self.readPrefixCodes(codeCount, &reader)
                : Self.readDistributions(codeCount, alphabetBits: alphabetBits, &reader)
            if !usesPrefixes { state = UInt32(try reader.bits(32)) }
        }

        /// Reads the next integer of a context.
        mutating func integer(context: Int, from reader: inout JXLBitReader) throws(DecodingFailure) -> Int {
            if copied.count == 0 {
                let number = codeNumbers[context]
                let symbol = try symbol(number, from: &reader)
                guard let repetition, symbol >= repetition.firstSymbol else {
                    integers.append(try Self.integer(symbol, divisions[number], &reader))
                    return integers[integers.count - 1]
                }
                try startCopying(symbol - repetition.firstSymbol, repetition, &reader)
            }
            integers.append(integers.indices.contains(copied.start) ? integers[copied.start] : 0)
            copied = (copied.start + 1, copied.count - 1)
            return integers[integers.count - 1]
        }

        private mutating func startCopying(
            _ length: Int, _ repetition: Repetition, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) {
            let count = try Self.integer(length, repetition.division, &reader) + repetition.minimumLength
            let number = codeNumbers[codeNumbers.count - 1]
            let distance = try Self.integer(symbol(number, from: &reader), divisions[number], &reader) + 1
            copied = (integers.count - min(distance, integers.count), count)
        }

        private mutating func symbol(_ number: Int, from reader: inout JXLBitReader) throws(DecodingFailure) -> Int {
            switch codes[number] {
            case .prefix(let code): return try code.symbol(from: &reader)
            case .distribution(let distribution):
                var current = state ?? 0
                defer { state = current }
                return try distribution.symbol(&current, from: &reader)
            }
        }

        private static func integer(
            _ symbol: Int, _ division: Division, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> Int {
            let first = 1 << division.exponent
            if symbol < first { return symbol }
            let kept = division.highBits + division.lowBits
            let bitCount = division.exponent - kept + (symbol - first) >> kept
            guard bitCount <= 32 else { throw .malformed(.jxl, "an integer is too large") }
            let low = symbol & (1 << division.lowBits - 1)
            let high = 1 << division.highBits | (symbol >> division.lowBits) & (1 << division.highBits - 1)
            return (high << bitCount | (try reader.bits(bitCount))) << division.lowBits | low
        }
    }

    extension JXLEntropyReader {
        private static func readRepetition(_ reader: inout JXLBitReader) throws(DecodingFailure) -> Repetition {
            let firstSymbol = try reader.choice(.value(224), .value(512), .value(4096), .bits(15, plus: 8))
            let minimumLength = try reader.choice(.value(3), .value(4), .bits(2, plus: 5), .bits(8, plus: 9))
            let division = try readDivision(8, &reader)
            return Repetition(firstSymbol: firstSymbol, minimumLength: minimumLength, division: division)
        }

        private static func readDivision(
            _ alphabetBits: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> Division {
            var division = Division(exponent: try reader.bits(alphabetBits.bitCount))
            guard division.exponent != alphabetBits else { return division }
            division.highBits = try reader.bits(division.exponent.bitCount)
            guard division.highBits <= division.exponent else { throw invalidDivision }
            division.lowBits = try reader.bits((division.exponent - division.highBits).bitCount)
            guard division.highBits + division.lowBits <= division.exponent else { throw invalidDivision }
            return division
        }

        private static var invalidDivision: DecodingFailure { .malformed(.jxl, "an integer configuration is invalid") }

        /// Reads the number of the code of each context.
        private static func readCodeNumbers(
            _ count: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Int] {
            var numbers: [Int] = []
            if try reader.bool() {
                let bitCount = try reader.bits(2)
                for _ in 0..<count { numbers.append(try reader.bits(bitCount)) }
                return numbers
            }
            let movesToFront = try reader.bool()
            var entropy = try JXLEntropyReader(contextCount: 1, allowsRepetition: count > 2, from: &reader)
            for _ in 0..<count { numbers.append(try entropy.integer(context: 0, from: &reader)) }
            guard numbers.allSatisfy({ $0 < 256 }) else { throw .malformed(.jxl, "a context has an invalid code") }
            return movesToFront ? movedToFront(numbers) : numbers
        }

        /// Undoes the move-to-front transform.
        private static func movedToFront(_ indices: [Int]) -> [Int] {
            var order = Array(0..<256)
            return indices.map { index in
                let value = order.remove(at: index)
                order.insert(value, at: 0)
                return value
            }
        }

        private static func readPrefixCodes(
            _ count: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Code] {
            var sizes: [Int] = []
            for _ in 0..<count { sizes.append(try reader.bool() ? 1 + readPowerAndBits(4, &reader) : 1) }
            guard sizes.allSatisfy({ $0 <= 1 << 15 }) else { throw .malformed(.jxl, "an alphabet is too large") }
            var codes: [Code] = []
            for size in sizes { codes.append(.prefix(try JXLPrefixCode.read(alphabetSize: size, from: &reader))) }
            return codes
        }

        private static func readDistributions(
            _ count: Int, alphabetBits: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> [Code] {
            var codes: [Code] = []
            for _ in 0..<count {
                codes.append(.distribution(try JXLDistribution.read(alphabetBits: alphabetBits, from: &reader)))
            }
            return codes
        }

        /// Reads a power of two, whose exponent has `count` bits, and lower bits, which are added.
        fileprivate static func readPowerAndBits(
            _ count: Int, _ reader: inout JXLBitReader
        ) throws(DecodingFailure) -> Int {
            let exponent = try reader.bits(count)
            return 1 << exponent + (try reader.bits(exponent))
        }
    }

    extension JXLBitReader {
        /// Reads a number of 0 to 255 in 1 to 11 bits.
        mutating func shortInteger() throws(DecodingFailure) -> Int {
            try bool() ? JXLEntropyReader.readPowerAndBits(3, &self) : 0
        }
    }

    extension Int {
        /// The number of bits for the numbers up to this one.
        fileprivate var bitCount: Int { bitWidth - leadingZeroBitCount }
    }
#endif
