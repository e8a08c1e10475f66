import ImageCore

/// A canonical prefix code (RFC 9649, 3.7.2.1). Codes of up to 8 bits are decoded with a table, rare longer ones bit by
/// bit.
struct VP8LPrefixCode {
    private static let longestCode = 15
    private static let lookUpBits = 8
    /// The stored order of the lengths of the code-length code.
    private static let lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// The number of codes of each length.
    private var counts = [Int](repeating: 0, count: longestCode + 1)
    /// The symbols that have a code, shortest code first.
    private var symbols: [Int] = []
    /// For each value of the next bits: the symbol, and the length of its code in the four highest bits. 0 for longer
    /// codes.
    private var lookUp = [UInt16](repeating: 0, count: 1 << lookUpBits)

    /// The only symbol of the code, which takes no bits. `nil` if there are several.
    var onlySymbol: Int? { symbols.count == 1 ? symbols[0] : nil }

    /// Reads a code for `alphabet` symbols.
    init(
        alphabet: Int, reader: inout VP8LBitReader, source: Span<UInt8>
    ) throws(DecodingFailure) {
        if try reader.readFlag(from: source) {
            try self.init(lengths: Self.simpleLengths(alphabet: alphabet, reader: &reader, source: source))
        } else {
            try self.init(lengths: Self.normalLengths(alphabet: alphabet, reader: &reader, source: source))
        }
    }

    /// - Parameter lengths: The length of each symbol's code, from 0, none, to 15. They must form a complete code, or
    ///   have one symbol.
    private init(lengths: [Int]) throws(DecodingFailure) {
        for length in lengths where length > 0 { counts[length] += 1 }
        for length in 1...Self.longestCode where counts[length] > 0 {
            for symbol in lengths.indices where lengths[symbol] == length { symbols.append(symbol) }
        }
        if symbols.count == 1 { return }
        let used = (1...Self.longestCode).reduce(0) { $0 + counts[$1] << (Self.longestCode - $1) }
        guard used == 1 << Self.longestCode else { throw .malformed(.webp, "a prefix code is not complete") }
        fillLookUp()
    }

    /// Codes are consecutive numbers. Their highest bit is the first in the stream.
    private mutating func fillLookUp() {
        var (code, index) = (0, 0)
        for length in 1...Self.lookUpBits {
            for symbol in symbols[index..<index + counts[length]] {
                let bits = Int(UInt16(code).bitReversed >> UInt16(16 - length))
                for entry in stride(from: bits, to: lookUp.count, by: 1 << length) {
                    lookUp[entry] = UInt16(length << 12 | symbol)
                }
                code += 1
            }
            index += counts[length]
            code <<= 1
        }
    }

    /// Reads a simple code with one or two symbols.
    private static func simpleLengths(
        alphabet: Int, reader: inout VP8LBitReader, source: Span<UInt8>
    ) throws(DecodingFailure) -> [Int] {
        var lengths = [Int](repeating: 0, count: max(alphabet, 256))
        let hasTwo = try reader.readFlag(from: source)
        let isWide = try reader.readFlag(from: source)
        lengths[try reader.read(isWide ? 8 : 1, from: source)] = 1
        if hasTwo { lengths[try reader.read(8, from: source)] = 1 }
        return Array(lengths.prefix(alphabet))
    }

    /// Reads code lengths that are encoded with a prefix code and run lengths.
    private static func normalLengths(
        alphabet: Int, reader: inout VP8LBitReader, source: Span<UInt8>
    ) throws(DecodingFailure) -> [Int] {
        var lengthLengths = [Int](repeating: 0, count: lengthOrder.count)
        let stored = try reader.read(4, from: source) + 4
        for index in 0..<stored { lengthLengths[lengthOrder[index]] = try reader.read(3, from: source) }
        let code = try VP8LPrefixCode(lengths: lengthLengths)
        var left = alphabet
        if try reader.readFlag(from: source) {
            let bits = try reader.read(3, from: source) * 2 + 2
            left = try reader.read(bits, from: source) + 2
            guard left <= alphabet else { throw .malformed(.webp, "a prefix code has too many lengths") }
        }
        var lengths: [Int] = []
        var previous = 8
        while lengths.count < alphabet, left > 0 {
            left -= 1
            let symbol = try code.read(from: &reader, source)
            let run = try Self.run(of: symbol, previous: previous, reader: &reader, source: source)
            guard lengths.count + run.count <= alphabet else { throw .malformed(.webp, "a run of lengths is too long") }
            lengths.append(contentsOf: repeatElement(run.length, count: run.count))
            if symbol < 16, symbol > 0 { previous = symbol }
        }
        lengths.append(contentsOf: repeatElement(0, count: alphabet - lengths.count))
        return lengths
    }

    private static func run(
        of symbol: Int, previous: Int, reader: inout VP8LBitReader, source: Span<UInt8>
    ) throws(DecodingFailure) -> (length: Int, count: Int) {
        switch symbol {
        case 16: (previous, try reader.read(2, from: source) + 3)
        case 17: (0, try reader.read(3, from: source) + 3)
        case 18: (0, try reader.read(7, from: source) + 11)
        default: (symbol, 1)
        }
    }

    func read(from reader: inout VP8LBitReader, _ source: Span<UInt8>) throws(DecodingFailure) -> Int {
        if symbols.count == 1 { return symbols[0] }
        let found = Int(lookUp[reader.peek(Self.lookUpBits, from: source)])
        guard found == 0 else {
            try reader.skip(found >> 12)
            return found & 0xFFF
        }
        return try readBitByBit(from: &reader, source)
    }

    private func readBitByBit(
        from reader: inout VP8LBitReader, _ source: Span<UInt8>
    ) throws(DecodingFailure) -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1...Self.longestCode {
            code |= try reader.read(1, from: source)
            let count = counts[length]
            if code - first < count { return symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .malformed(.webp, "a prefix code is not complete")
    }
}

extension UInt16 {
    fileprivate var bitReversed: UInt16 {
        var (value, reversed) = (self, UInt16(0))
        for _ in 0..<16 { (reversed, value) = (reversed << 1 | value & 1, value >> 1) }
        return reversed
    }
}
