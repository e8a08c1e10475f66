import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of DataEncryption")
struct DataEncryptionContractTests {
    typealias Rule = ContractRule<DataEncryptionContract.Subject>

    @Test("the fake obeys", arguments: DataEncryptionContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(DataEncryptionContract.Subject(FakeEncryption(key: 3), other: FakeEncryption(key: 4)))
    }

    @Test("each rule bites an encryption that breaks it", arguments: BrokenEncryption.Defect.allCases)
    func brokenDouble(_ defect: BrokenEncryption.Defect) async throws {
        let rule = try #require(DataEncryptionContract.rules.first { $0.name == defect.rawValue })
        let subject = DataEncryptionContract.Subject(
            BrokenEncryption(base: FakeEncryption(key: 3), defect: defect),
            other: BrokenEncryption(base: FakeEncryption(key: 4), defect: defect))
        await #expect(throws: ContractViolation.self) { try await rule.check(subject) }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(DataEncryptionContract.rules.map(\.name)) == Set(BrokenEncryption.Defect.allCases.map(\.rawValue)))
    }
}

/// The fake, but for one promise that it breaks.
struct BrokenEncryption: DataEncryption {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case losesBytes = "opens what it encrypted, whatever it was"
        case hidesNothing = "what it encrypted shows nothing of the bytes"
        case ignoresContext = "opens nothing with another context or another key"
        case opensAnything = "opens nothing that was changed in any byte, cut or made up"
        case namesByTheText = "names a text the same each time, other texts otherwise, and without showing it"

        var testDescription: String { rawValue }
    }

    let base: FakeEncryption
    let defect: Defect

    func encrypt(_ bytes: Data, context: Data) throws -> Data {
        let encrypted = try base.encrypt(bytes, context: defect == .ignoresContext ? Data() : context)
        return defect == .hidesNothing ? bytes + encrypted : encrypted
    }

    func decrypt(_ encrypted: Data, context: Data) throws -> Data {
        if defect == .opensAnything { return (try? base.decrypt(encrypted, context: context)) ?? Data() }
        let encrypted = defect == .hidesNothing ? Data(encrypted.suffix((encrypted.count + 4) / 2)) : encrypted
        let bytes = try base.decrypt(encrypted, context: defect == .ignoresContext ? Data() : context)
        return defect == .losesBytes ? Data(bytes.dropLast()) : bytes
    }

    func pseudonym(for text: String) -> String { defect == .namesByTheText ? text : base.pseudonym(for: text) }
}

@Suite("The contract of DataCacheTransform")
struct DataCacheTransformContractTests {
    typealias Rule = ContractRule<DataCacheTransformContract.Subject>

    private static let bytes = FakeImage.encode(width: 8, height: 6)
    private static let rules = DataCacheTransformContract.rules + DataCacheTransformContract.lossless

    @Test("encryption obeys, and loses nothing", arguments: rules)
    func encryption(_ rule: Rule) async throws {
        try await rule.check(.init(EncryptionTransform(FakeEncryption(key: 9)), bytes: Self.bytes))
    }

    @Test("each rule bites a transform that breaks it", arguments: BrokenTransform.Defect.allCases)
    func brokenDouble(_ defect: BrokenTransform.Defect) async throws {
        let rule = try #require(Self.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check(.init(BrokenTransform(defect), bytes: Self.bytes))
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(Self.rules.map(\.name)) == Set(BrokenTransform.Defect.allCases.map(\.rawValue)))
    }
}

/// Changes nothing, but for one promise that it breaks.
final class BrokenTransform: DataCacheTransform {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case oneName = "a key has one name, and two keys have two"
        case losesMetadata = "what it stored it restores, with what was kept beside the bytes and their date"
        case countsCalls = "works on several entries at once"
        case losesBytes = "every byte comes back"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let calls = Mutex(0)

    init(_ defect: Defect) { self.defect = defect }

    func key(for key: DataCacheKey) -> DataCacheKey { defect == .oneName ? DataCacheKey(source: "one") : key }

    func stored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        var entry = entry
        if defect == .losesMetadata { entry.metadata = Data() }
        if defect == .losesBytes { entry.data = Data(entry.data.dropLast()) }
        return entry
    }

    func restored(_ entry: DataCacheEntry, for key: DataCacheKey) throws -> DataCacheEntry {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        var entry = entry
        if defect == .countsCalls { entry.data.append(UInt8(truncatingIfNeeded: call)) }
        return entry
    }
}
