import Foundation
import ImageCore
import ImageTesting
import Testing

/// A fake that breaks one rule.
struct BrokenDataCache: ImageDataCache {
    enum Defect: CaseIterable {
        case inventsEntries, keepsMetadata, removesEverything, keepsEverything, evictsEarly, keepsReplaced, keepsRemoved
        case roundsDates, clampsDates, dropsEmptyEntries, returnsSlices, truncatesSlices, truncatesLargeEntries
        case truncatesKeys, ignoresLimit, acceptsTooLarge, keepsOlderEntry, acceptsAnythingAtZero
        case ignoresConcurrentLimit, writesInPlace, mixesEntries

        var rule: String {
            switch self {
            case .inventsEntries, .keepsMetadata, .removesEverything, .keepsEverything, .evictsEarly, .keepsReplaced,
                .keepsRemoved:
                "a cache that is large enough has the last entry of each key that was not removed"
            case .roundsDates, .clampsDates, .dropsEmptyEntries, .truncatesSlices, .truncatesLargeEntries:
                "an entry is found unchanged, whatever its data, metadata and date"
            case .returnsSlices: "the data of an entry starts at index 0"
            case .truncatesKeys: "keys are compared in full, whatever their length and characters"
            case .ignoresLimit: "the limit holds after every store"
            case .acceptsTooLarge, .keepsOlderEntry:
                "an entry larger than the limit throws tooLarge, removes the older one, and evicts no other"
            case .acceptsAnythingAtZero: "a cache with a limit of zero rejects every entry and keeps working"
            case .ignoresConcurrentLimit:
                "the limit holds during concurrent stores, and no key returns the entry of another"
            case .writesInPlace: "a reader never finds a part of a large entry while it is replaced"
            case .mixesEntries: "concurrent stores for one key leave one of the entries, and no reader sees another"
            }
        }
    }

    private let defect: Defect
    private let byteLimit: Int
    private let cache: InMemoryDataCache

    init(_ defect: Defect, byteLimit: Int) {
        self.defect = defect
        self.byteLimit = byteLimit
        let isUnlimited = [
            .ignoresLimit, .acceptsTooLarge, .acceptsAnythingAtZero, .ignoresConcurrentLimit,
        ].contains(defect)
        cache = InMemoryDataCache(byteLimit: isUnlimited ? .max : defect == .evictsEarly ? byteLimit / 2 : byteLimit)
    }

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        guard var found = try await cache.entry(for: stored(key)) else {
            return defect == .inventsEntries ? DataCacheEntry(data: Data(), creationDate: .distantPast) : nil
        }
        switch defect {
        case .roundsDates:
            found.creationDate = Date(
                timeIntervalSinceReferenceDate: found.creationDate.timeIntervalSinceReferenceDate.rounded())
        case .clampsDates: found.creationDate = max(found.creationDate, Date(timeIntervalSinceReferenceDate: 0))
        case .returnsSlices: found.data = (Data([0]) + found.data).dropFirst()
        default: break
        }
        return found
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        let key = stored(key)
        var entry = entry
        let older = try await cache.entry(for: key)
        switch defect {
        case .dropsEmptyEntries where entry.data.isEmpty: return
        case .keepsMetadata: entry.metadata = older?.metadata ?? entry.metadata
        case .mixesEntries: entry.creationDate = older?.creationDate ?? entry.creationDate
        case .truncatesSlices: entry.data = entry.data.dropLast(entry.data.startIndex)
        case .truncatesLargeEntries: entry.data = entry.data.prefix(1_000_000)
        case .writesInPlace: try await writePieces(of: entry, for: key)
        case .keepsReplaced: if let older { try await cache.store(older, for: hiddenKey(of: key)) }
        case .keepsOlderEntry where entry.data.count > byteLimit:
            throw .tooLarge(byteCount: entry.data.count, byteLimit: byteLimit)
        default: break
        }
        try await cache.store(entry, for: key)
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) {
        if defect == .removesEverything { return try await cache.removeAll() }
        if defect == .keepsRemoved, let entry = try await cache.entry(for: key) {
            try await cache.store(entry, for: hiddenKey(of: key))
        }
        try await cache.remove(for: stored(key))
    }

    func removeAll() async throws(DataCacheError) {
        if defect != .keepsEverything { try await cache.removeAll() }
    }

    /// Stores one half of an entry after the other.
    private func writePieces(of entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        guard entry.data.count > 100_000 else { return }
        var half = entry
        half.data = entry.data.prefix(entry.data.count / 2)
        try await cache.store(half, for: key)
        for _ in 0..<10 { await Task.yield() }
    }

    private func stored(_ key: DataCacheKey) -> DataCacheKey {
        defect == .truncatesKeys ? DataCacheKey(identifier: String(key.identifier.prefix(255))) : key
    }

    /// Returns a key that no rule uses.
    private func hiddenKey(of key: DataCacheKey) -> DataCacheKey {
        DataCacheKey(identifier: "hidden \(key.identifier)")
    }
}
