#if AESGCMSealing
    import Foundation
    import ImageCore
    import ImageDataSealing
    import Testing

    @Suite("AES-GCM seals")
    struct AESGCMSealTests {
        private let seal: AESGCMSeal
        private let other: AESGCMSeal

        init() throws {
            seal = try AESGCMSeal(key: Data(0..<32))
            other = try AESGCMSeal(key: Data(1..<33))
        }

        @Test(
            "what was sealed opens again, whatever its length, and differs each time",
            arguments: [0, 1, 15, 16, 100_000])
        func opens(count: Int) throws {
            let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
            let context = Data("context".utf8)
            let sealed = try seal.seal(bytes, context: context)
            #expect(sealed.count == count + 28)
            #expect(try seal.open(sealed, context: context) == bytes)
            #expect(try seal.seal(bytes, context: context) != sealed)
        }

        @Test("another key, another context, or any byte altered or missing, and it does not open")
        func refuses() throws {
            let sealed = try seal.seal(Data("picture".utf8), context: Data([1]))
            #expect(throws: (any Error).self) { try other.open(sealed, context: Data([1])) }
            #expect(throws: (any Error).self) { try seal.open(sealed, context: Data([2])) }
            for position in sealed.indices {
                var altered = sealed
                altered[position] ^= 1
                #expect(throws: (any Error).self) { try seal.open(altered, context: Data([1])) }
                #expect(throws: (any Error).self) { try seal.open(sealed.prefix(position), context: Data([1])) }
            }
        }

        @Test("pseudonyms are the same for the same text and key, and only then")
        func pseudonyms() {
            #expect(seal.pseudonym(for: "a") == seal.pseudonym(for: "a"))
            #expect(seal.pseudonym(for: "a") != seal.pseudonym(for: "b"))
            #expect(seal.pseudonym(for: "a") != other.pseudonym(for: "a"))
            #expect(seal.pseudonym(for: "").utf8.count == 64)
        }

        @Test("a key of another length than 32 bytes is refused", arguments: [0, 16, 31, 33])
        func keyLength(count: Int) {
            #expect(throws: AESGCMSeal.InvalidKey(byteCount: count)) { try AESGCMSeal(key: Data(count: count)) }
        }
    }
#endif
