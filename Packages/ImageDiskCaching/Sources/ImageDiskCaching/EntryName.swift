package import ImageCore

/// The name of an entry's file: the SHA-256 of its key, so that any key gives a valid name and no two share one.
package struct EntryName: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    package init(_ key: DataCacheKey) { self.init(keyBytes: Array(key.source.utf8)) }

    package init(keyBytes: [UInt8]) {
        let digest = SHA256.digest(of: keyBytes).map(UInt64.init)
        words = SIMD4(
            digest[0] << 32 | digest[1], digest[2] << 32 | digest[3], digest[4] << 32 | digest[5],
            digest[6] << 32 | digest[7])
    }

    /// Nil when `text` is not what `text` of some name gives: 64 lower-case hexadecimal digits.
    package init?(_ text: String) {
        guard text.utf8.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for (index, digit) in text.utf8.enumerated() {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.words = words
    }

    /// The file's name: 64 lower-case hexadecimal digits.
    package var text: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for word in 0..<4 {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                let value = UInt8(words[word] >> shift & 15)
                digits.append(value < 10 ? 48 + value : 87 + value)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The subfolder: the first two digits of the name, one of 256.
    package var shard: String { String(text.prefix(2)) }

    /// True when `text` can be a subfolder's name.
    package static func isShard(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { value(ofDigit: $0) != nil }
    }

    /// The bits are uniform already: the first word is hash enough for a dictionary.
    package func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }

    /// An even number for choosing among a few: the digest's last bits.
    package var lowBits: Int { Int(words[3] & 0xFFFF) }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 97...102: digit - 87
        default: nil
        }
    }
}
