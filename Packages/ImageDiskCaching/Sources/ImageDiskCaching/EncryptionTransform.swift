public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps entries encrypted: data and metadata encrypted as one, and under a pseudonym, so that a cache's files tell of an image
/// no more than its size and date.
///
/// An entry opens under the key, and with the date, that it was stored with, and no other. The cache's own checksums are those of
/// the encrypted bytes.
public struct EncryptionTransform: DataCacheTransform {
    private let encryption: any DataEncryption

    public init(_ encryption: any DataEncryption) { self.encryption = encryption }

    public func key(for key: DataCacheKey) -> DataCacheKey {
        DataCacheKey(source: encryption.pseudonym(for: key.source))
    }

    public func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var bytes = Data(capacity: 8 + entry.metadata.count + entry.data.count)
        bytes.append(Self.bytes(of: UInt64(entry.metadata.count)))
        bytes.append(entry.metadata)
        bytes.append(entry.data)
        let encrypted = try encryption.encrypt(bytes, context: Self.context(key, entry.createdAt))
        return DataCacheEntry(data: encrypted, createdAt: entry.createdAt)
    }

    public func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        let bytes = try encryption.decrypt(entry.data, context: Self.context(key, entry.createdAt))
        guard bytes.count >= 8 else { throw Malformed() }
        let length = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let length = Int(exactly: length), length <= bytes.count - 8 else { throw Malformed() }
        return DataCacheEntry(
            data: Data(bytes.dropFirst(8 + length)), metadata: Data(bytes.dropFirst(8).prefix(length)),
            createdAt: entry.createdAt)
    }

    /// Sealed by somebody with the key, and yet none of ours.
    private struct Malformed: Error {}

    private static func context(_ key: DataCacheKey, _ date: Date) -> Data {
        bytes(of: date.timeIntervalSinceReferenceDate.bitPattern) + Data(key.source.utf8)
    }

    private static func bytes(of number: UInt64) -> Data {
        // An integer has no padding.
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Data($0) }
    }
}
