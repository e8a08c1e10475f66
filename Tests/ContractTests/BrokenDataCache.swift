import Foundation
import ImageCore
import ImageTesting
import Testing

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
        case cutsSlices = "data that is a slice of other data is stored like any other"
        case cutsLargeEntries = "an entry of a megabyte is found whole"
        case keepsReplaced = "an entry that is replaced gives its space to the new one"
        case keepsRemoved = "an entry that is removed gives its space back"
        case takesAnythingAtZero = "a cache without space refuses every entry and goes on"
        case ignoresLimitWhenMany = "the budget holds when many store at once, and none is served another's entry"
        case mixesEntries = "concurrent stores under one key leave one of the entries, and no reader sees another"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let byteLimit: Int
    private let cache: InMemoryDataCache

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        let isBoundless = [.ignoresLimit, .takesTooLarge, .takesAnythingAtZero, .ignoresLimitWhenMany].contains(defect)
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
        case .cutsSlices: entry.data = entry.data.dropLast(entry.data.startIndex)
        case .cutsLargeEntries: entry.data = entry.data.prefix(1_000_000)
        case .keepsReplaced: if let older { try await cache.store(older, for: ghost(of: key)) }
        case .servesStale where entry.data.count > byteLimit:
            throw .tooLarge(bytes: entry.data.count, allowed: byteLimit)
        default: break
        }
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheFailure) {
        if defect == .removesEverything { return try await cache.removeAll() }
        if defect == .keepsRemoved, let entry = try await cache.entry(for: key) {
            try await cache.store(entry, for: ghost(of: key))
        }
        try await cache.remove(for: stored(key))
    }

    func removeAll() async throws(DataCacheFailure) {
        if defect != .keepsEverything { try await cache.removeAll() }
    }

    private func stored(_ key: DataCacheKey) -> DataCacheKey {
        defect == .cutsKeys ? DataCacheKey(source: String(key.source.prefix(255))) : key
    }

    /// A key that nobody asks for.
    private func ghost(of key: DataCacheKey) -> DataCacheKey { DataCacheKey(source: "ghost of \(key.source)") }
}
