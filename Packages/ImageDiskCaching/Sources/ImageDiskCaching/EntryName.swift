import ImageCore

/// The name of the file of an entry: the SHA-256 of its key (FIPS 180-4). Keys don't share a name, even if an attacker
/// chooses them.
struct EntryName: Hashable, Sendable {
    private static let digits = Array("0123456789abcdef".utf8)

    let words: SIMD4<UInt64>

    init(_ words: SIMD4<UInt64>) { self.words = words }

    init(_ key: DataCacheKey) {
        let words = SHA256.digest(of: Array(key.identifier.utf8))
        self.init(SIMD4((0..<4).map { UInt64(words[2 * $0]) << 32 | UInt64(words[2 * $0 + 1]) }))
    }

    /// Returns nil unless `text` is a name: 64 lowercase hexadecimal digits.
    init?(_ text: String) {
        guard text.utf8.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for (index, digit) in text.utf8.enumerated() {
            guard let value = Self.digits.firstIndex(of: digit) else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.words = words
    }

    /// The name as 64 lowercase hexadecimal digits.
    var text: String {
        let text = stride(from: 0, to: 256, by: 4).map { bit in
            Self.digits[Int(words[bit / 64] >> UInt64(60 - bit % 64) & 15)]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
