/// Encrypts bytes, with authentication.
public protocol DataEncryption: Sendable {
    /// Encrypts bytes.
    /// - Parameters:
    ///   - bytes: The bytes to encrypt.
    ///   - context: Authenticated but not stored. Pass the same bytes to `decrypt`.
    func encrypt(_ bytes: Data, context: Data) throws -> Data
    /// Decrypts bytes. Throws if the bytes, the context or the key are not those of `encrypt`. Never traps.
    func decrypt(_ encrypted: Data, context: Data) throws -> Data
    /// Returns a name for a text that reveals nothing about it without the key. Equal texts have equal names.
    func pseudonym(for text: String) -> String
}
