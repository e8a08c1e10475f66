import ImageCore

/// Reads bits of a VP8L stream, least significant first (RFC 9649, 3.2).
struct VP8LBitReader {
    private let data: Data
    private var cursor: Int
    private var accumulator: UInt64 = 0
    private var bitCount = 0

    init(_ data: Data) {
        self.data = data
        cursor = data.startIndex
    }

    /// Reads and consumes up to 32 bits. Throws `.truncated` if fewer are left.
    mutating func read(_ count: Int) throws(ImageDecodingError) -> Int {
        let value = peek(count)
        try skip(count)
        return value
    }

    /// Returns up to 32 bits without consuming them. Bits after the end are 0.
    mutating func peek(_ count: Int) -> Int {
        while bitCount < count, cursor < data.endIndex {
            accumulator |= UInt64(data[cursor]) << UInt64(bitCount)
            cursor += 1
            bitCount += 8
        }
        return Int(accumulator & (1 << UInt64(count) - 1))
    }

    /// Consumes bits after a `peek`.
    mutating func skip(_ count: Int) throws(ImageDecodingError) {
        guard count <= bitCount else { throw .truncated(.webP) }
        accumulator >>= UInt64(count)
        bitCount -= count
    }

    mutating func readFlag() throws(ImageDecodingError) -> Bool { try read(1) == 1 }
}

/// A canonical prefix code (RFC 9649, 3.7.2.1). Codes of up to 8 bits are decoded with a table, rare longer ones bit by
/// bit.
struct VP8LPrefixCode {
    private static let longestCode = 15
    private static let lookUpBits = 8

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
    init(alphabet: Int, from reader: inout VP8LBitReader) throws(ImageDecodingError) {
        let isSimple = try reader.readFlag()
        try self.init(
            lengths: isSimple
                ? Self.simpleLengths(alphabet, from: &reader) : Self.normalLengths(alphabet, from: &reader))
    }

    /// - Parameter lengths: The length of each symbol's code, from 0, none, to 15. They must form a complete code, or
    ///   have one symbol.
    private init(lengths: [Int]) throws(ImageDecodingError) {
        for length in lengths where length > 0 { counts[length] += 1 }
        for length in 1...Self.longestCode where counts[length] > 0 {
            symbols += lengths.indices.filter { lengths[$0] == length }
        }
        if symbols.count == 1 { return }
        let used = (1...Self.longestCode).reduce(0) { $0 + counts[$1] << (Self.longestCode - $1) }
        guard used == 1 << Self.longestCode else { throw .malformed(.webP, "a prefix code is not complete") }
        fillLookUp()
    }

    /// Codes are consecutive numbers. Their highest bit is the first in the stream.
    private mutating func fillLookUp() {
        var (code, index) = (0, 0)
        for length in 1...Self.lookUpBits {
            for symbol in symbols[index..<index + counts[length]] {
                let bits = (0..<length).reduce(0) { $0 | (code >> (length - 1 - $1) & 1) << $1 }
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
    private static func simpleLengths(_ alphabet: Int, from reader: inout VP8LBitReader) throws(ImageDecodingError)
        -> [Int]
    {
        var lengths = [Int](repeating: 0, count: max(alphabet, 256))
        let hasTwo = try reader.readFlag()
        lengths[try reader.read(try reader.readFlag() ? 8 : 1)] = 1
        if hasTwo { lengths[try reader.read(8)] = 1 }
        return Array(lengths.prefix(alphabet))
    }

    /// Reads code lengths that are encoded with a prefix code and run lengths.
    private static func normalLengths(_ alphabet: Int, from reader: inout VP8LBitReader) throws(ImageDecodingError)
        -> [Int]
    {
        let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        var lengthLengths = [Int](repeating: 0, count: order.count)
        for index in 0..<(try reader.read(4) + 4) { lengthLengths[order[index]] = try reader.read(3) }
        let code = try VP8LPrefixCode(lengths: lengthLengths)
        var left = alphabet
        if try reader.readFlag() {
            left = try reader.read(try reader.read(3) * 2 + 2) + 2
            guard left <= alphabet else { throw .malformed(.webP, "a prefix code has too many lengths") }
        }
        var lengths: [Int] = []
        var previous = 8
        while lengths.count < alphabet, left > 0 {
            left -= 1
            let symbol = try code.read(from: &reader)
            switch symbol {
            case 16: lengths += repeatElement(previous, count: try reader.read(2) + 3)
            case 17: lengths += repeatElement(0, count: try reader.read(3) + 3)
            case 18: lengths += repeatElement(0, count: try reader.read(7) + 11)
            default: lengths.append(symbol)
            }
            if symbol < 16, symbol > 0 { previous = symbol }
        }
        guard lengths.count <= alphabet else { throw .malformed(.webP, "a run of lengths is too long") }
        return lengths + repeatElement(0, count: alphabet - lengths.count)
    }

    func read(from reader: inout VP8LBitReader) throws(ImageDecodingError) -> Int {
        if let onlySymbol { return onlySymbol }
        let found = Int(lookUp[reader.peek(Self.lookUpBits)])
        if found != 0 {
            try reader.skip(found >> 12)
            return found & 0xFFF
        }
        var (code, first, index) = (0, 0, 0)
        for length in 1...Self.longestCode {
            code |= try reader.read(1)
            let count = counts[length]
            if code - first < count { return symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .malformed(.webP, "a prefix code is not complete")
    }
}
