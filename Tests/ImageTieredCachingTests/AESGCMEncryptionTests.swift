#if CacheEncryption
    import Foundation
    import ImageCore
    import Testing

    @testable import ImageTieredCaching

    @Suite("AES-GCM encryption")
    struct AESGCMEncryptionTests {
        private let encryption: AESGCMEncryption
        private let other: AESGCMEncryption

        init() throws {
            encryption = try AESGCMEncryption(key: Data(0..<32))
            other = try AESGCMEncryption(key: Data(1..<33))
        }

        @Test(
            "decrypts bytes of any length, and encrypts them differently each time",
            arguments: [0, 1, 15, 16, 100_000])
        func decrypts(count: Int) throws {
            let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
            let context = Data("context".utf8)
            let encrypted = try encryption.encrypt(bytes, context: context)
            #expect(encrypted.count == count + 28)
            #expect(try encryption.decrypt(encrypted, context: context) == bytes)
            #expect(try encryption.encrypt(bytes, context: context) != encrypted)
        }

        @Test("decryption fails with another key, another context, or any altered or missing byte")
        func rejects() throws {
            let encrypted = try encryption.encrypt(Data("image".utf8), context: Data([1]))
            #expect(throws: (any Error).self) { try other.decrypt(encrypted, context: Data([1])) }
            #expect(throws: (any Error).self) { try encryption.decrypt(encrypted, context: Data([2])) }
            for position in encrypted.indices {
                var altered = encrypted
                altered[position] ^= 1
                #expect(throws: (any Error).self) { try encryption.decrypt(altered, context: Data([1])) }
                #expect(throws: (any Error).self) {
                    try encryption.decrypt(encrypted.prefix(position), context: Data([1]))
                }
            }
        }

        @Test("pseudonyms are equal only for the same text and key")
        func pseudonyms() {
            #expect(encryption.pseudonym(for: "a") == encryption.pseudonym(for: "a"))
            #expect(encryption.pseudonym(for: "a") != encryption.pseudonym(for: "b"))
            #expect(encryption.pseudonym(for: "a") != other.pseudonym(for: "a"))
            #expect(encryption.pseudonym(for: "").utf8.count == 64)
        }

        @Test("rejects a key that doesn't have 32 bytes", arguments: [0, 16, 31, 33])
        func keyLength(count: Int) {
            #expect(throws: AESGCMEncryption.InvalidKeyError(byteCount: count)) {
                try AESGCMEncryption(key: Data(count: count))
            }
        }
    }
#endif
