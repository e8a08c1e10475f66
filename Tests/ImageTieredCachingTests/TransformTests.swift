import Foundation
import ImageContractTesting
import ImageCore
import ImageTieredCaching
import Testing

@testable import ImageTesting

/// Rejects entries of more than 100 bytes.
private struct RejectingTransform: DataCacheTransform {
    struct Rejection: Error {}

    func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        if entry.data.count > 100 { throw Rejection() }
        return entry
    }
}

@Suite("Transforming caches")
struct TransformTests {
    private static let time = Date(timeIntervalSinceReferenceDate: 800_000_000.123)

    private let lower = InMemoryDataCache()
    private let key = DataCacheKey(identifier: "https://images.test/1.jpg")
    private let otherKey = DataCacheKey(identifier: "https://images.test/2.jpg")

    private func encrypted(_ key: UInt8 = 77) -> TransformingDataCache {
        TransformingDataCache(lower, transform: EncryptionTransform(FakeEncryption(key: key)))
    }

    private func entry(_ text: String, metadata: String = "the response head") -> DataCacheEntry {
        DataCacheEntry(data: Data(text.utf8), metadata: Data(metadata.utf8), creationDate: Self.time)
    }

    @Test("an encrypted cache obeys DataCacheContract", arguments: DataCacheContract.rules)
    func obeys(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
        try await rule.check { byteLimit in
            TransformingDataCache(
                InMemoryDataCache(byteLimit: byteLimit), transform: EncryptionTransform(FakeEncryption(key: 77)))
        }
    }

    @Test("an encrypted entry contains neither the key nor the data nor the metadata")
    func hidesContents() async throws {
        try await encrypted().store(entry("the image itself"), for: key)
        #expect(try await encrypted().entry(for: key) == entry("the image itself"))
        let (storedKey, stored) = try #require(lower.entries.first)
        for secret in ["the image", "the response", "images.test"] {
            for part in [Data(storedKey.identifier.utf8), stored.data, stored.metadata] {
                #expect(part.range(of: Data(secret.utf8)) == nil, "\(secret)")
            }
        }
    }

    @Test("an entry that was encrypted with another key is a miss, and stays for readers with that key")
    func wrongKey() async throws {
        try await encrypted().store(entry("image"), for: key)
        let kept = try #require(lower.entries.values.first)
        try await lower.store(kept, for: EncryptionTransform(FakeEncryption(key: 78)).key(for: key))
        #expect(try await encrypted(78).entry(for: key) == nil)
        #expect(try await encrypted().entry(for: key) == entry("image"))
    }

    @Test("an encrypted entry can't be decrypted for another key or date")
    func boundToContext() throws {
        let transform = EncryptionTransform(FakeEncryption(key: 9))
        let kept = try transform.stored(entry("image"), for: key)
        #expect(try transform.restored(kept, for: key) == entry("image"))
        #expect(throws: FakeEncryption.DecryptionError.self) { try transform.restored(kept, for: otherKey) }
        var redated = kept
        redated.creationDate += 1
        #expect(throws: FakeEncryption.DecryptionError.self) { try transform.restored(redated, for: key) }
    }

    @Test(
        "a decrypted entry that is too short for its metadata is a miss",
        arguments: [0, 7, 8, 20].map { Data(repeating: 0xFF, count: $0) } + [
            Data([13] + [UInt8](repeating: 0, count: 19))
        ])
    func malformed(bytes: Data) throws {
        let encryption = FakeEncryption(key: 9)
        let date = Self.time.timeIntervalSinceReferenceDate.bitPattern
        let context = Data((0..<8).map { UInt8(truncatingIfNeeded: date >> ($0 * 8)) }) + Data(key.identifier.utf8)
        let encrypted = try encryption.encrypt(bytes, context: context)
        let kept = DataCacheEntry(data: encrypted, creationDate: Self.time)
        let error = #expect(throws: (any Error).self) {
            try EncryptionTransform(encryption).restored(kept, for: key)
        }
        #expect(!(error is FakeEncryption.DecryptionError))
    }

    @Test("an entry that can't be transformed is not stored, and the older entry is removed")
    func rejected() async throws {
        let cache = TransformingDataCache(lower, transform: RejectingTransform())
        try await cache.store(entry("image"), for: key)
        await #expect(throws: DataCacheError.other(UnderlyingError(RejectingTransform.Rejection()))) {
            try await cache.store(entry(String(repeating: "a", count: 101)), for: key)
        }
        #expect(try await cache.entry(for: key) == nil)
    }
}
