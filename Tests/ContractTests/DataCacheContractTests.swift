import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The contract of ImageDataCache")
struct DataCacheContractTests {
    typealias Rule = ContractRule<DataCacheContract.Subject>

    @Test("the disk cache passes", arguments: DataCacheContract.rules)
    func diskCache(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { folder.diskCache(byteLimit: $0) }
    }

    @Test("the in-memory fake passes", arguments: DataCacheContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check { InMemoryDataCache(byteLimit: $0) }
    }

    @Test("these caches replace entries without a gap", arguments: DataCacheContract.gaplessReplacing)
    func gapless(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { folder.diskCache(byteLimit: $0) }
        try await rule.check { InMemoryDataCache(byteLimit: $0) }
    }

    @Test(
        "a cache that removes the older entry first passes the rules for every cache",
        arguments: DataCacheContract.rules)
    func removesFirst(_ rule: Rule) async throws {
        try await rule.check { RemovingFirstCache(cache: InMemoryDataCache(byteLimit: $0)) }
    }

    @Test(
        "a cache that removes the older entry first replaces with a gap", arguments: DataCacheContract.gaplessReplacing)
    func gap(_ rule: Rule) async throws {
        await #expect(throws: ContractViolation.self) {
            try await rule.check { RemovingFirstCache(cache: InMemoryDataCache(byteLimit: $0)) }
        }
    }

    @Test("each rule fails for a cache that breaks it", arguments: BrokenDataCache.Defect.allCases)
    func brokenDouble(_ defect: BrokenDataCache.Defect) async throws {
        let rule = try #require(DataCacheContract.rules.first { $0.name == defect.rule })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenDataCache(defect, byteLimit: $0) }
        }
    }

    @Test(
        "a violation names the part that differs",
        arguments: [
            (BrokenDataCache.Defect.roundsDates, "date, in seconds since 2001: 1.0, not 1.1"),
            (.truncatesLargeEntries, "data: 1000000 bytes, not 1000001"),
            (.keepsMetadata, "metadata: "), (.inventsEntries, "expected nothing"),
        ])
    func message(_ defect: BrokenDataCache.Defect, part: String) async throws {
        let rule = try #require(DataCacheContract.rules.first { $0.name == defect.rule })
        let violation = await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenDataCache(defect, byteLimit: $0) }
        }
        #expect(violation?.description.contains(part) == true, "\(violation?.description ?? "none")")
    }
}

/// A cache that removes an older entry before it stores the newer one.
private struct RemovingFirstCache: DataCacheDouble {
    let cache: InMemoryDataCache

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        try await cache.remove(for: key)
        for _ in 0..<10 { await Task.yield() }
        try await cache.store(entry, for: key)
    }
}
