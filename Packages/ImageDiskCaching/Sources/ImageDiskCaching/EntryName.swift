public import ImageCore

/// A scheme that derives file names from keys. A name has 64 hexadecimal digits, which represent 32 bytes.
public struct DiskNaming: Sendable {
    let name: @Sendable (DataCacheKey) -> EntryName

    /// Names are the SHA-256 of the key (FIPS 180-4). Keys don't share a name, even if an attacker chooses them.
    public static let sha256 = DiskNaming { key in
        let words = SHA256.digest(of: Array(key.identifier.utf8))
        let pairs = (0..<4).map { UInt64(words[2 * $0]) << 32 | UInt64(words[2 * $0 + 1]) }
        return EntryName(SIMD4(pairs))
    }

    /// Returns a scheme with a custom digest, for example a keyed hash, so that file names reveal nothing about the
    /// keys.
    ///
    /// The files still contain the keys. Use `EncryptionTransform` of ImageTieredCaching to encrypt them.
    ///
    /// - Parameter digest: Returns four uniformly distributed words. Keys with the same digest replace each other in
    ///   the cache.
    public static func digest(_ digest: @escaping @Sendable (DataCacheKey) -> SIMD4<UInt64>) -> DiskNaming {
        DiskNaming { EntryName(digest($0)) }
    }
}

/// The name of the file of an entry.
struct EntryName: Hashable, Sendable {
    private static let digits = Array("0123456789abcdef".utf8)

    let words: SIMD4<UInt64>

    init(_ words: SIMD4<UInt64>) { self.words = words }

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
