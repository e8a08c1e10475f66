import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("The contract of DataCache")
struct DataCacheContractTests {
    typealias Rule = ContractRule<DataCacheContract.Subject>

    @Test("the disk cache obeys", arguments: DataCacheContract.rules)
    func diskCache(_ rule: Rule) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "contract-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await rule.check { limit in
            DiskDataCache(directory: folder, byteLimit: limit, now: { Date(timeIntervalSinceReferenceDate: 0) })
        }
    }

    @Test("the in-memory fake obeys", arguments: DataCacheContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check { InMemoryDataCache(byteLimit: $0) }
    }

    @Test("each rule bites a cache that breaks it", arguments: BrokenDataCache.Defect.allCases)
    func brokenDouble(_ defect: BrokenDataCache.Defect) async throws {
        let rule = try #require(DataCacheContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenDataCache(defect, byteLimit: $0) }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(DataCacheContract.rules.map(\.name)) == Set(BrokenDataCache.Defect.allCases.map(\.rawValue)))
    }
}

/// The fake, but for one promise that it breaks: the one that its defect names.
struct BrokenDataCache: DataCache {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case inventsEntries = "what was never stored is absent"
        case roundsDates = "a stored entry is found with data, metadata and date"
        case dropsEmptyEntries = "an entry without data or metadata is an entry"
        case handsOutSlices = "the data that is found starts at index 0"
        case keepsMetadata = "a second store replaces the entry in all its parts"
        case cutsKeys = "keys are told apart in full, whatever their length and letters"
        case removesEverything = "remove forgets that entry and no other"
        case keepsEverything = "removeAll forgets every entry, and the cache goes on"
        case evictsEarly = "entries that fit the budget are all kept"
        case ignoresLimit = "the budget holds after every store"
        case takesTooLarge = "an entry larger than the whole budget throws tooLarge and evicts no other"
        case servesStale = "a refused entry does not leave the older one under its key"
        case mixesEntries = "concurrent stores under one key leave one of the entries, and no reader sees another"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let byteLimit: Int
    private let cache: InMemoryDataCache

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        let isBoundless = defect == .ignoresLimit || defect == .takesTooLarge
        cache = InMemoryDataCache(byteLimit: isBoundless ? .max : defect == .evictsEarly ? byteLimit / 2 : byteLimit)
    }

    func entry(for key: DataCacheKey) async throws(DataCacheFailure) -> DataCacheEntry? {
        guard var found = try await cache.entry(for: stored(key)) else {
            return defect == .inventsEntries ? DataCacheEntry(data: Data(), createdAt: .distantPast) : nil
        }
        switch defect {
        case .roundsDates:
            found.createdAt = Date(
                timeIntervalSinceReferenceDate: found.createdAt.timeIntervalSinceReferenceDate.rounded())
        case .handsOutSlices: found.data = (Data([0]) + found.data).dropFirst()
        default: break
        }
        return found
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheFailure) {
        let key = stored(key)
        var entry = entry
        let older = try await cache.entry(for: key)
        switch defect {
        case .dropsEmptyEntries where entry.data.isEmpty: return
        case .keepsMetadata: entry.metadata = older?.metadata ?? entry.metadata
        case .mixesEntries: entry.createdAt = older?.createdAt ?? entry.createdAt
        case .servesStale where entry.data.count > byteLimit:
            throw .tooLarge(bytes: entry.data.count, allowed: byteLimit)
        default: break
        }
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        if defect == .removesEverything {
            try await cache.removeAll()
        } else {
            try await cache.remove(for: stored(key))
        }
    }

    func removeAll() async throws(DataCacheFailure) {
        if defect != .keepsEverything { try await cache.removeAll() }
    }

    private func stored(_ key: DataCacheKey) -> DataCacheKey {
        defect == .cutsKeys ? DataCacheKey(source: String(key.source.prefix(255))) : key
    }
}
