import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Adds a number to each byte, and appends a checksum that includes the context. It is not secure.
private struct FakeEncryption: DataEncryption {
    var key: UInt8
    struct DecryptionFailure: Error {}

    func encrypt(_ bytes: Data, context: Data) throws -> Data {
        Data(bytes.map { $0 &+ key }) + [sum(bytes, context)]
    }

    func decrypt(_ encrypted: Data, context: Data) throws -> Data {
        let bytes = Data(encrypted.dropLast().map { $0 &- key })
        guard encrypted.last == sum(bytes, context) else { throw DecryptionFailure() }
        return bytes
    }

    func pseudonym(for text: String) -> String { "pseudonym of \(text.utf8.reduce(5_381) { $0 &* 33 &+ Int($1) })" }

    private func sum(_ bytes: Data, _ context: Data) -> UInt8 { (bytes + context).reduce(key) { $0 &* 31 &+ $1 } }
}

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
    private let folder = TestFolder()

    private func encrypted(_ key: UInt8 = 77, byteLimit: Int = 1 << 20) -> TransformingDataCache {
        TransformingDataCache(
            folder.cache(byteLimit: byteLimit), transform: EncryptionTransform(FakeEncryption(key: key)))
    }

    @Test("an encrypted cache on disk obeys DataCacheContract", arguments: DataCacheContract.rules)
    func obeys(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
        try await rule.check { encrypted(byteLimit: $0) }
    }

    @Test("no file contains the key, the data or the metadata of an encrypted entry")
    func hidesContents() async throws {
        let stored = DataCacheEntry(
            data: Data("the image itself".utf8), metadata: Data("the response head".utf8), createdAt: testTime)
        try await encrypted().store(stored, for: key(1))
        #expect(try await encrypted().entry(for: key(1)) == stored)
        for file in folder.files() + ["entries.index"] {
            let bytes = try Data(contentsOf: folder.url.appending(path: file))
            for secret in ["the image", "the response", "images.test"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file)")
            }
        }
    }

    @Test("an entry that was encrypted with another key is a miss, and stays for readers with that key")
    func wrongKey() async throws {
        try await encrypted().store(entry(1_000), for: key(1))
        #expect(try await encrypted(78).entry(for: key(1)) == nil)
        #expect(try await encrypted().entry(for: key(1)) == entry(1_000))
    }

    @Test("an encrypted entry can't be decrypted for another key or date")
    func boundToContext() async throws {
        let transform = EncryptionTransform(FakeEncryption(key: 9))
        let kept = try transform.stored(entry(100), for: key(1))
        #expect(try transform.restored(kept, for: key(1)) == entry(100))
        #expect(throws: FakeEncryption.DecryptionFailure.self) { try transform.restored(kept, for: key(2)) }
        var redated = kept
        redated.createdAt += 1
        #expect(throws: FakeEncryption.DecryptionFailure.self) { try transform.restored(redated, for: key(1)) }
    }

    @Test(
        "a decrypted entry that is too short for its metadata is a miss", arguments: [0, 7, 8, 20])
    func malformed(count: Int) async throws {
        let encryption = FakeEncryption(key: 9)
        let transform = EncryptionTransform(encryption)
        var context = Data()
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            context.append(
                UInt8(truncatingIfNeeded: testTime.timeIntervalSinceReferenceDate.bitPattern >> shift))
        }
        context += Data(key(1).source.utf8)
        let encrypted = try encryption.encrypt(Data(repeating: 0xFF, count: count), context: context)
        let kept = DataCacheEntry(data: encrypted, createdAt: testTime)
        #expect(throws: (any Error).self) { try transform.restored(kept, for: key(1)) }
    }

    @Test("an entry that can't be transformed is not stored, and the older entry is removed")
    func rejected() async throws {
        let cache = TransformingDataCache(folder.cache(), transform: RejectingTransform())
        try await cache.store(entry(10), for: key(1))
        await #expect(throws: DataCacheFailure.io("transform: Rejection()")) {
            try await cache.store(entry(1_000), for: key(1))
        }
        #expect(try await cache.entry(for: key(1)) == nil)
    }
}
