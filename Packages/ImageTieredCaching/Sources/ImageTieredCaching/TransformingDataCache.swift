import Dispatch
public import ImageCore

/// Stores transformed entries in another cache, for example encrypted ones. The limits of that cache apply.
///
/// An entry that can't be restored is a miss, and stays until it is replaced or evicted.
public struct TransformingDataCache: ImageDataCache {
    private let cache: any ImageDataCache
    private let transform: any DataCacheTransform
    private let queue = DispatchQueue(label: "TransformingDataCache")

    /// Creates a cache in front of another.
    ///
    /// - Parameters:
    ///   - cache: Stores the transformed entries.
    ///   - transform: Transforms entries before they are stored, and restores them.
    public init(_ cache: any ImageDataCache, transform: any DataCacheTransform) {
        self.cache = cache
        self.transform = transform
    }

    /// Returns the restored entry for a key, or `nil` if it is missing or can't be restored.
    public func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        guard let stored = try await cache.entry(for: transform.key(for: key)) else { return nil }
        switch await perform({ try transform.restored(stored, for: key) }) {
        case .success(let entry): return entry
        case .failure: return nil
        }
    }

    /// Transforms and stores an entry.
    ///
    /// - Throws: The failure of the other cache, or `.io` if the entry can't be transformed. The older entry is then
    ///   removed.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        switch await perform({ try transform.stored(entry, for: key) }) {
        case .success(let stored): try await cache.store(stored, for: transform.key(for: key))
        case .failure(let error):
            try await cache.remove(for: transform.key(for: key))
            throw DataCacheError(error)
        }
    }

    /// Removes the entry for a key.
    public func remove(for key: DataCacheKey) async throws(DataCacheError) {
        try await cache.remove(for: transform.key(for: key))
    }

    /// Removes all entries of the other cache.
    public func removeAll() async throws(DataCacheError) { try await cache.removeAll() }

    /// Runs work outside of the concurrency pool, because encoding a large image takes a tenth of a second.
    private func perform(
        _ work: @escaping @Sendable () throws -> DataCacheEntry
    ) async -> Result<DataCacheEntry, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { try work() }) }
        }
    }
}

/// Encrypts entries. Data and metadata are encrypted together, and the key is replaced by a pseudonym.
///
/// The cache reveals only the size and the date of an entry.
public struct EncryptionTransform: DataCacheTransform {
    private let encryption: any DataEncryption

    /// Creates a transform that uses an encryption, for example `AESGCMEncryption`.
    public init(_ encryption: any DataEncryption) { self.encryption = encryption }

    /// Returns a key with a pseudonym of the identifier.
    public func key(for key: DataCacheKey) -> DataCacheKey {
        DataCacheKey(identifier: encryption.pseudonym(for: key.identifier))
    }

    /// Encrypts data and metadata. Throws the error of the encryption.
    public func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var bytes = Data(capacity: 8 + entry.metadata.count + entry.data.count)
        bytes.append(littleEndian: UInt64(entry.metadata.count))
        bytes.append(entry.metadata)
        bytes.append(entry.data)
        let encrypted = try encryption.encrypt(bytes, context: Self.context(key, entry.creationDate))
        return DataCacheEntry(data: encrypted, creationDate: entry.creationDate)
    }

    /// Decrypts data and metadata. Throws if the entry was altered, or encrypted otherwise or for another key.
    public func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        let bytes = try encryption.decrypt(entry.data, context: Self.context(key, entry.creationDate))
        guard let length = bytes.littleEndian(at: 0, 8), length <= bytes.count - 8 else { throw Malformed() }
        return DataCacheEntry(
            data: Data(bytes.dropFirst(8 + length)), metadata: Data(bytes.dropFirst(8).prefix(length)),
            creationDate: entry.creationDate)
    }

    private struct Malformed: Error {}

    private static func context(_ key: DataCacheKey, _ date: Date) -> Data {
        var context = Data()
        context.append(littleEndian: date.timeIntervalSinceReferenceDate.bitPattern)
        return context + Data(key.identifier.utf8)
    }
}
