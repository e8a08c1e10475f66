import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The contract of DataCache, for caches whose entries outlive them")
struct DataCacheReopeningContractTests {
    typealias Rule = ContractRule<DataCacheContract.Reopening>

    @Test("the disk cache obeys", arguments: DataCacheContract.reopening)
    func diskCache(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { folder.diskCache(byteLimit: $0) }
    }

    @Test("a cache in SQLite obeys", arguments: DataCacheContract.reopening)
    func sqlite(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { try SQLiteDataCache(path: folder.path + "/cache.db", byteLimit: $0) }
    }

    @Test("each rule bites a cache that breaks it", arguments: DataCacheContract.reopening)
    func brokenDouble(_ rule: Rule) async throws {
        let defect = try #require(ReopeningDefect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(defect.makeSubject()) }
    }
}

@Suite("The contract of DataCache, for caches on stores that can be damaged, or be full")
struct DataCacheFaultContractTests {
    @Test("the disk cache obeys, of damage", arguments: DataCacheContract.damage)
    func diskCache(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
        let folder = try ContractFolder()
        try await rule.check { limit in
            DataCacheContract.Damageable(cache: folder.diskCache(byteLimit: limit)) {
                try folder.damageFiles(naming: $0)
            }
        }
    }

    @Test("a cache in SQLite obeys, of damage", arguments: DataCacheContract.damage)
    func sqlite(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
        let folder = try ContractFolder()
        try await rule.check { limit in
            let cache = try SQLiteDataCache(path: folder.path + "/cache.db", byteLimit: limit)
            return DataCacheContract.Damageable(cache: cache) { key in
                try await cache.execute(
                    "update entry set data = zeroblob(length(data)) where key = ?", .bytes(Data(key.source.utf8)))
            }
        }
    }

    @Test("a cache in SQLite obeys, of a full device", arguments: DataCacheContract.fullStore)
    func fullSQLite(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
        let folder = try ContractFolder()
        try await rule.check { limit in
            let cache = try SQLiteDataCache(path: folder.path + "/cache.db", byteLimit: limit)
            return DataCacheContract.Fillable(cache: cache) { isFull in
                // SQLite takes the pages that there are for the least.
                try await cache.execute("pragma max_page_count = \(isFull ? 1 : 1_000_000_000)")
            }
        }
    }

    @Test("each rule bites a cache that breaks it, of damage", arguments: DataCacheContract.damage)
    func damageDouble(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
        let defect = try #require(DamageDefect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(defect.makeSubject) }
    }

    @Test("each rule bites a cache that breaks it, of a full device", arguments: DataCacheContract.fullStore)
    func fullDouble(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
        let defect = try #require(FullStoreDefect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(defect.makeSubject) }
    }
}

@Suite("The contract of DataCache, for caches that wait for a store")
struct DataCacheThreadContractTests {
    @Test("a cache in SQLite obeys", arguments: DataCacheContract.threads)
    func sqlite(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        let folder = try ContractFolder()
        try await rule.check { limit, onAccess in
            try SQLiteDataCache(path: folder.path + "/cache.db", byteLimit: limit, onAccess: onAccess)
        }
    }

    @Test("each rule bites a cache that waits on threads of the pool", arguments: DataCacheContract.threads)
    func brokenDouble(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        await #expect(throws: ContractViolation.self) {
            try await rule.check { limit, onAccess in
                PoolBlockingDataCache(cache: InMemoryDataCache(byteLimit: limit), onAccess: onAccess)
            }
        }
    }
}

@Suite("The contract of DataCache, for caches that take entries in pieces and give parts of them")
struct DataCacheStreamingContractTests {
    typealias Rule = ContractRule<DataCacheContract.Streaming>

    @Test("the disk cache obeys", arguments: DataCacheContract.streaming)
    func diskCache(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { folder.diskCache(byteLimit: $0) }
    }

    @Test("each rule bites a cache that breaks it", arguments: DataCacheContract.streaming)
    func brokenDouble(_ rule: Rule) async throws {
        let defect = try #require(
            BrokenStreamingDataCache.Defect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenStreamingDataCache(defect, byteLimit: $0) }
        }
    }
}
