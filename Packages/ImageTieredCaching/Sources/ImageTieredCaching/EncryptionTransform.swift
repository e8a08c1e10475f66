public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encrypts entries. Data and metadata are encrypted together, and the key is replaced by a pseudonym.
///
/// The files of the cache reveal only the size and the date of an entry. An entry can only be decrypted with the key
/// and the date that it was stored with. The cache computes its checksums from the encrypted bytes.
public struct EncryptionTransform: DataCacheTransform {
    private let encryption: any DataEncryption

    /// Creates a transform that uses an encryption, for example `AESGCMEncryption`.
    public init(_ encryption: any DataEncryption) { self.encryption = encryption }

    /// Returns a key with a pseudonym of the source.
    public func key(for key: DataCacheKey) -> DataCacheKey {
        DataCacheKey(source: encryption.pseudonym(for: key.source))
    }

    /// Encrypts data and metadata. The result has no metadata.
    ///
    /// - Throws: The error of the encryption.
    public func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var bytes = Data(capacity: 8 + entry.metadata.count + entry.data.count)
        bytes.append(Self.bytes(of: UInt64(entry.metadata.count)))
        bytes.append(entry.metadata)
        bytes.append(entry.data)
        let encrypted = try encryption.encrypt(bytes, context: Self.context(key, entry.createdAt))
        return DataCacheEntry(data: encrypted, createdAt: entry.createdAt)
    }

    /// Decrypts data and metadata.
    ///
    /// - Throws: An error if the entry was altered, or was encrypted with another encryption or for another key.
    public func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        let bytes = try encryption.decrypt(entry.data, context: Self.context(key, entry.createdAt))
        guard bytes.count >= 8 else { throw Malformed() }
        let length = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let length = Int(exactly: length), length <= bytes.count - 8 else { throw Malformed() }
        return DataCacheEntry(
            data: Data(bytes.dropFirst(8 + length)), metadata: Data(bytes.dropFirst(8).prefix(length)),
            createdAt: entry.createdAt)
    }

    /// An error for bytes that were encrypted with the right key but don't have the format of this type.
    private struct Malformed: Error {}

    private static func context(_ key: DataCacheKey, _ date: Date) -> Data {
        bytes(of: date.timeIntervalSinceReferenceDate.bitPattern) + Data(key.source.utf8)
    }

    private static func bytes(of number: UInt64) -> Data {
        // An integer has no padding.
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Data($0) }
    }
}
