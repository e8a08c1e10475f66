import ImageContractTesting
import ImageCore
import ImageTesting
import ImageTieredCaching
import Testing

@Suite("The contract of ImageDataCache, for a tiered cache")
struct TieredContractTests {
    private static let rulesOfPersistence = DataCacheContract.reopening + DataCacheContract.sharing

    @Test("two caches in memory pass", arguments: DataCacheContract.rules + DataCacheContract.gaplessReplacing)
    func inMemory(_ rule: ContractRule<DataCacheContract.Subject>) async throws {
        try await rule.check { limit in
            // The upper level has space for few entries, so that the lower one is used too.
            let upperLimit = limit * 45 / 1_000
            return FlushedCache(
                TieredDataCache(
                    upper: InMemoryDataCache(byteLimit: upperLimit),
                    lower: InMemoryDataCache(byteLimit: limit - upperLimit)))
        }
    }

    @Test("two caches in memory pass the rules for persistent caches", arguments: rulesOfPersistence)
    func reopening(_ rule: ContractRule<DataCacheContract.Reopening>) async throws {
        // A rule that lowers the limit can't use a fake, whose limit is fixed.
        guard !rule.name.contains("smaller limit") else { return }
        let (upper, lower) = (InMemoryDataCache(byteLimit: 3_000), InMemoryDataCache())
        try await rule.check { _ in FlushedCache(TieredDataCache(upper: upper, lower: lower)) }
    }
}

/// A tiered cache without pending writes, because the limits of the contract don't include them.
struct FlushedCache: ImageDataCache {
    let cache: TieredDataCache

    init(_ cache: TieredDataCache) { self.cache = cache }

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        try await cache.entry(for: key)
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        try await cache.store(entry, for: key)
        await cache.flush()
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) { try await cache.remove(for: key) }

    func removeAll() async throws(DataCacheError) { try await cache.removeAll() }
}
