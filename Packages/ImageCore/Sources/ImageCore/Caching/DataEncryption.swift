#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Encrypts bytes, and notices when what it is given to open is not what it encrypted.
public protocol DataEncryption: Sendable {
    /// - Parameter context: bytes that are not kept, but have to be the same when the encryption is opened.
    func encrypt(_ bytes: Data, context: Data) throws -> Data
    /// Throws when the bytes or the context are others, or were encrypted with another key. Never traps, whatever the bytes.
    func decrypt(_ encrypted: Data, context: Data) throws -> Data
    /// A name that stands for a text and, without the key, tells nothing about it. The same text gives the same name.
    func pseudonym(for text: String) -> String
}
