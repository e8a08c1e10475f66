public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An encryption that hides nothing from anybody who looks twice: for tests of what is encrypted, never for secrets.
///
/// It adds a key to each byte and a sum at the end, which catches what a test changes.
public struct FakeEncryption: DataEncryption {
    /// The bytes, the context or the key are not those of the encryption.
    public struct Broken: Error, Hashable {}

    private let key: UInt8

    public init(key: UInt8) { self.key = key }

    public func encrypt(_ bytes: Data, context: Data) throws -> Data {
        Data(bytes.map { $0 &+ key &+ 1 }) + sum(bytes, context)
    }

    public func decrypt(_ encrypted: Data, context: Data) throws -> Data {
        let bytes = Data(encrypted.dropLast(4).map { $0 &- key &- 1 })
        guard encrypted.count >= 4, Data(encrypted.suffix(4)) == sum(bytes, context) else { throw Broken() }
        return bytes
    }

    public func pseudonym(for text: String) -> String { "pseudonym \(digest(text.utf8))" }

    private func sum(_ bytes: Data, _ context: Data) -> Data {
        let digest = digest(bytes + context)
        return Data((0..<4).map { UInt8(truncatingIfNeeded: digest >> ($0 * 8)) })
    }

    /// FNV-1a (Fowler, Noll, Vo), 32 bits, begun with the key.
    private func digest(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261 ^ UInt32(key)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
