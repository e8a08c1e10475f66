import Foundation

/// Writes valid and invalid lossless images bit by bit (RFC 9649, 3), independently of the encoder under test.
struct VP8LBuilder {
    private var bytes: [UInt8] = []
    private var bitCount = 0

    /// - Parameter hasHeader: False for the alpha of a lossy image.
    init(_ width: Int, _ height: Int, hasHeader: Bool = true) {
        guard hasHeader else { return }
        put(0x2F, 8)
        put(width - 1, 14)
        put(height - 1, 14)
        put(0, 4)
    }

    mutating func put(_ value: Int, _ count: Int) {
        for bit in 0..<count {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bitCount / 8] |= UInt8(value >> bit & 1) << UInt8(bitCount % 8)
            bitCount += 1
        }
    }

    /// Writes a code with one symbol, which takes no bits.
    mutating func code(only symbol: Int) {
        put(1, 2)
        put(1, 1)
        put(symbol, 8)
    }

    /// Writes a code with 256 symbols of 8 bits, stored from the highest bit down, in an alphabet of `alphabet`
    /// symbols.
    mutating func code256(alphabet: Int = 256) {
        // The code-length code: 0 is length 8, and 1 is 18, which repeats zeros.
        put(0, 1)
        put(12 - 4, 4)
        for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] { put(symbol == 18 || symbol == 8 ? 1 : 0, 3) }
        put(0, 1)
        for _ in 0..<256 { put(0, 1) }
        if alphabet > 256 {
            put(1, 1)
            put(alphabet - 256 - 11, 7)
        }
    }

    /// Writes a symbol of a code by `code256`.
    mutating func symbol256(_ value: Int) { for bit in (0..<8).reversed() { put(value >> bit & 1, 1) } }

    /// Writes a code by the lengths of its symbols, from 0 to 15. Symbols after these have none.
    mutating func code(lengths: [Int]) {
        // The code-length code: 0 to 15 have 4 bits, and the repetitions none.
        put(0, 1)
        put(19 - 4, 4)
        for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] { put(symbol < 16 ? 4 : 0, 3) }
        // The number of lengths in 10 bits.
        put(1, 1)
        put(4, 3)
        put(lengths.count - 2, 10)
        for length in lengths { for bit in (0..<4).reversed() { put(length >> bit & 1, 1) } }
    }

    /// Writes a symbol of a code by `code(lengths:)`.
    mutating func symbol(_ symbol: Int, of lengths: [Int]) {
        let length = lengths[symbol]
        let code = lengths.enumerated().reduce(0) { code, other in
            let isEarlier = (other.element, other.offset) < (length, symbol)
            return other.element > 0 && isEarlier ? code + (1 << (length - other.element)) : code
        }
        for bit in (0..<length).reversed() { put(code >> bit & 1, 1) }
    }

    /// Writes the codes of a group whose pixels all have the same value and take no bits.
    mutating func flatGroup(red: Int = 0, green: Int = 0) {
        for symbol in [green, red, 0, 255, 0] { code(only: symbol) }
    }

    /// Writes a small image with one value, for a transform or for groups.
    mutating func flatImage(red: Int = 0, green: Int = 0) {
        put(0, 1)
        flatGroup(red: red, green: green)
    }

    /// Writes a list of groups, one for each square of 4 by 4 pixels.
    mutating func groups(_ numbers: [Int]) {
        put(1, 1)
        put(0, 3)
        put(0, 1)
        code256(alphabet: 280)
        code256()
        for symbol in [0, 255, 0] { code(only: symbol) }
        for number in numbers {
            symbol256(number & 255)
            symbol256(number >> 8)
        }
    }

    var payload: Data { Data(bytes) }

    var file: Data {
        let padded = payload + Data(count: bytes.count % 2)
        return Data("RIFF".utf8) + Self.word(12 + padded.count) + Data("WEBPVP8L".utf8) + Self.word(bytes.count)
            + padded
    }

    private static func word(_ value: Int) -> Data { Data((0..<4).map { UInt8(value >> (8 * $0) & 255) }) }
}

extension VP8LBuilder {
    /// Returns an image whose squares use the given groups, each with codes of no bits.
    ///
    /// - Parameter endsEarly: Whether the codes are missing.
    static func image(
        _ width: Int, _ height: Int, groups: [Int], cacheBits: Int = 0, hasHeader: Bool = true, endsEarly: Bool = false
    ) -> Self {
        var builder = VP8LBuilder(width, height, hasHeader: hasHeader)
        builder.put(0, 1)  // No transform.
        builder.put(cacheBits > 0 ? 1 : 0, 1)
        if cacheBits > 0 { builder.put(cacheBits, 4) }
        builder.groups(groups)
        if endsEarly { return builder }
        for group in 0...(groups.max() ?? 0) { builder.flatGroup(green: group & 255) }
        return builder
    }
}
