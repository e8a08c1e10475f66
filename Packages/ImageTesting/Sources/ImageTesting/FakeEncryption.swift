import ImageCore

/// An insecure encryption for tests of code that encrypts data. Never use it for secrets.
///
/// It adds the key to each byte and appends a checksum, which detects changes.
struct FakeEncryption: DataEncryption {
    /// An error for data that was encrypted with another context or key, or changed.
    struct DecryptionError: Error, Hashable {}

    private let key: UInt8

    /// Creates an encryption with a key.
    init(key: UInt8) { self.key = key }

    func encrypt(_ bytes: Data, context: Data) throws -> Data {
        Data(bytes.map { $0 &+ key &+ 1 }) + sum(bytes, context)
    }

    func decrypt(_ encrypted: Data, context: Data) throws -> Data {
        let bytes = Data(encrypted.dropLast(4).map { $0 &- key &- 1 })
        guard encrypted.count >= 4, Data(encrypted.suffix(4)) == sum(bytes, context) else { throw DecryptionError() }
        return bytes
    }

    func pseudonym(for text: String) -> String { "pseudonym \(digest(text.utf8))" }

    private func sum(_ bytes: Data, _ context: Data) -> Data {
        let digest = digest(bytes + context)
        return Data((0..<4).map { UInt8(truncatingIfNeeded: digest >> ($0 * 8)) })
    }

    /// Returns the 32-bit FNV-1a hash (Fowler, Noll, Vo), seeded with the key.
    private func digest(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261 ^ UInt32(key)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
