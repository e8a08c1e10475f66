import Foundation
import ImageContractTesting
import ImageCore
import ImageTieredCaching
import Testing

@testable import ImageTesting

@Suite("The contract of DataEncryption")
struct DataEncryptionContractTests {
    typealias Rule = ContractRule<DataEncryptionContract.Subject>

    @Test("the fake passes", arguments: DataEncryptionContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(DataEncryptionContract.Subject(FakeEncryption(key: 3), other: FakeEncryption(key: 4)))
    }

    @Test("each rule fails for an encryption that breaks it", arguments: BrokenEncryption.Defect.allCases)
    func brokenDouble(_ defect: BrokenEncryption.Defect) async throws {
        let rule = try #require(DataEncryptionContract.rules.first { $0.name == defect.rawValue })
        let subject = DataEncryptionContract.Subject(
            BrokenEncryption(base: FakeEncryption(key: 3), defect: defect),
            other: BrokenEncryption(base: FakeEncryption(key: 4), defect: defect))
        await #expect(throws: ContractViolation.self) { try await rule.check(subject) }
    }
}

/// A fake that breaks one rule.
struct BrokenEncryption: DataEncryption {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case losesBytes = "decrypting returns the bytes that were encrypted, whatever they are"
        case hidesNothing = "encrypted data does not contain the original bytes"
        case ignoresContext = "decrypting with another context or another key fails"
        case decryptsAnything = "decrypting fails if any byte was changed or the data was truncated"
        case revealsText = "a pseudonym is stable, differs for other texts and keys, and does not contain the text"

        var testDescription: String { rawValue }
    }

    let base: FakeEncryption
    let defect: Defect

    func encrypt(_ bytes: Data, context: Data) throws -> Data {
        let encrypted = try base.encrypt(bytes, context: defect == .ignoresContext ? Data() : context)
        return defect == .hidesNothing ? bytes + encrypted : encrypted
    }

    func decrypt(_ encrypted: Data, context: Data) throws -> Data {
        if defect == .decryptsAnything { return (try? base.decrypt(encrypted, context: context)) ?? Data() }
        let encrypted = defect == .hidesNothing ? Data(encrypted.suffix((encrypted.count + 4) / 2)) : encrypted
        let bytes = try base.decrypt(encrypted, context: defect == .ignoresContext ? Data() : context)
        return defect == .losesBytes ? Data(bytes.dropLast()) : bytes
    }

    func pseudonym(for text: String) -> String { defect == .revealsText ? text : base.pseudonym(for: text) }
}

@Suite("The contract of DataCacheTransform")
struct DataCacheTransformContractTests {
    typealias Rule = ContractRule<DataCacheTransformContract.Subject>

    private static let bytes = FakeImage.encode(width: 8, height: 6)
    static let rules = DataCacheTransformContract.rules + DataCacheTransformContract.lossless

    @Test("encryption passes, including the rule for lossless transforms", arguments: rules)
    func encryption(_ rule: Rule) async throws {
        try await rule.check(.init(EncryptionTransform(FakeEncryption(key: 9)), bytes: Self.bytes))
    }

    @Test("each rule fails for a transform that breaks it", arguments: BrokenTransform.Defect.allCases)
    func brokenDouble(_ defect: BrokenTransform.Defect) async throws {
        let rule = try #require(Self.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenTransform(defect), bytes: Self.bytes))
        }
    }
}

/// A transform that changes nothing and breaks one rule.
final class BrokenTransform: DataCacheTransform {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case mapsToOneKey = "a key is always mapped to the same key, and different keys to different ones"
        case losesMetadata = "a stored entry is restored with its metadata and its date"
        case countsCalls = "the transform handles several entries concurrently"
        case losesBytes = "every byte is restored"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let calls = Counter()

    init(_ defect: Defect) { self.defect = defect }

    func key(for key: DataCacheKey) -> DataCacheKey { defect == .mapsToOneKey ? DataCacheKey(identifier: "one") : key }

    func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var entry = entry
        if defect == .losesMetadata { entry.metadata = Data() }
        if defect == .losesBytes { entry.data = Data(entry.data.dropLast()) }
        return entry
    }

    func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var entry = entry
        if defect == .countsCalls { entry.data.append(UInt8(truncatingIfNeeded: calls.next())) }
        return entry
    }
}
