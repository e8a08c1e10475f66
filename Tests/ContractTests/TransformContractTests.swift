import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of DataSeal")
struct DataSealContractTests {
    typealias Rule = ContractRule<DataSealContract.Subject>

    @Test("the fake obeys", arguments: DataSealContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check(DataSealContract.Subject(FakeSeal(key: 3), other: FakeSeal(key: 4)))
    }

    @Test("each rule bites a seal that breaks it", arguments: BrokenSeal.Defect.allCases)
    func brokenDouble(_ defect: BrokenSeal.Defect) async throws {
        let rule = try #require(DataSealContract.rules.first { $0.name == defect.rawValue })
        let subject = DataSealContract.Subject(
            BrokenSeal(base: FakeSeal(key: 3), defect: defect),
            other: BrokenSeal(base: FakeSeal(key: 4), defect: defect))
        await #expect(throws: ContractViolation.self) { try await rule.check(subject) }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(DataSealContract.rules.map(\.name)) == Set(BrokenSeal.Defect.allCases.map(\.rawValue)))
    }
}

/// The fake, but for one promise that it breaks.
struct BrokenSeal: DataSeal {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case losesBytes = "opens what it sealed, whatever it was"
        case hidesNothing = "what it sealed shows nothing of the bytes"
        case ignoresContext = "opens nothing with another context or another key"
        case opensAnything = "opens nothing that was changed in any byte, cut or made up"
        case namesByTheText = "names a text the same each time, other texts otherwise, and without showing it"

        var testDescription: String { rawValue }
    }

    let base: FakeSeal
    let defect: Defect

    func seal(_ bytes: Data, context: Data) throws -> Data {
        let sealed = try base.seal(bytes, context: defect == .ignoresContext ? Data() : context)
        return defect == .hidesNothing ? bytes + sealed : sealed
    }

    func open(_ sealed: Data, context: Data) throws -> Data {
        if defect == .opensAnything { return (try? base.open(sealed, context: context)) ?? Data() }
        let sealed = defect == .hidesNothing ? Data(sealed.suffix((sealed.count + 4) / 2)) : sealed
        let bytes = try base.open(sealed, context: defect == .ignoresContext ? Data() : context)
        return defect == .losesBytes ? Data(bytes.dropLast()) : bytes
    }

    func pseudonym(for text: String) -> String { defect == .namesByTheText ? text : base.pseudonym(for: text) }
}

@Suite("The contract of DataCacheTransform")
struct DataCacheTransformContractTests {
    typealias Rule = ContractRule<DataCacheTransformContract.Subject>

    private static let bytes = FakePicture.encode(width: 8, height: 6)
    private static let rules = DataCacheTransformContract.rules + DataCacheTransformContract.lossless

    @Test("sealing obeys, and loses nothing", arguments: rules)
    func sealing(_ rule: Rule) async throws {
        try await rule.check(.init(SealingTransform(FakeSeal(key: 9)), bytes: Self.bytes))
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
