package import ImageCore

/// The name of an entry's file: 32 bytes computed from its key, by default the SHA-256.
package struct EntryName: Hashable, Sendable {
    // A SIMD vector would be aligned to 32 bytes and waste memory.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// The name in events that concern no entry.
    static let none = EntryName(words: (0, 0, 0, 0))

    package init(words: (UInt64, UInt64, UInt64, UInt64)) { (first, second, third, fourth) = words }

    package init(_ key: DataCacheKey) { self.init(keyBytes: Array(key.source.utf8)) }

    package init(keyBytes: [UInt8]) {
        let digest = SHA256.digest(of: keyBytes).map(UInt64.init)
        self.init(
            words: (
                digest[0] << 32 | digest[1], digest[2] << 32 | digest[3], digest[4] << 32 | digest[5],
                digest[6] << 32 | digest[7]
            ))
    }

    /// Returns nil unless `text` is a name: 64 lowercase hexadecimal digits.
    package init?(_ text: String) {
        guard text.utf8.count == 64 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, digit) in text.utf8.enumerated() {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.init(words: (words[0], words[1], words[2], words[3]))
    }

    /// The name as 64 lowercase hexadecimal digits.
    package var text: String { path(in: "", isSharded: false) }

    /// The subfolder: the first two digits of the name.
    package var shard: String { String(text.prefix(2)) }

    /// Returns the path of the file: `prefix`, the subfolder and a slash if the layout is sharded, and the name.
    package func path(in prefix: String, isSharded: Bool) -> String {
        let count = prefix.utf8.count + (isSharded ? 67 : 64)
        // Exactly `count` bytes are written: a complete string, and ASCII characters.
        return unsafe String(unsafeUninitializedCapacity: count) { buffer in
            var end = unsafe buffer.update(fromContentsOf: prefix.utf8)
            if isSharded {
                let top = UInt8(truncatingIfNeeded: first >> 56)
                unsafe buffer[end] = Self.digit(top >> 4)
                unsafe buffer[end + 1] = Self.digit(top & 15)
                unsafe buffer[end + 2] = 47
                end += 3
            }
            for word in [first, second, third, fourth] {
                for index in 0..<16 {
                    unsafe buffer[end + index] = Self.digit(
                        UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index)) & 15)
                }
                end += 16
            }
            return end
        }
    }

    /// Returns true if `text` can be the name of a subfolder.
    package static func isShard(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { value(ofDigit: $0) != nil }
    }

    // The bits are uniformly distributed, so the first word is a sufficient hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(first) }

    /// The hash value in a `NameTable`: the first word.
    var hash: UInt64 { first }

    /// The last 16 bits, which are uniformly distributed.
    package var lowBits: Int { Int(fourth & 0xFFFF) }

    /// Appends the 32 bytes, word by word, little-endian.
    func append(to bytes: inout [UInt8]) {
        for word in [first, second, third, fourth] {
            // An integer has no padding.
            unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 97...102: digit - 87
        default: nil
        }
    }
}
