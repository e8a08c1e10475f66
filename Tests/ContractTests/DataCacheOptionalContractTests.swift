import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageContractTesting

@Suite("The contract of ImageDataCache, for persistent caches")
struct DataCacheReopeningContractTests {
    typealias Rule = ContractRule<DataCacheContract.Reopening>
    private static let rules = DataCacheContract.reopening + DataCacheContract.sharing

    @Test("the disk cache passes", arguments: rules)
    func diskCache(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { folder.diskCache(byteLimit: $0) }
    }

    @Test("each rule fails for a cache that breaks it", arguments: rules)
    func brokenDouble(_ rule: Rule) async throws {
        let defect = try #require(ReopeningDefect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(defect.makeSubject()) }
    }
}

@Suite("The contract of ImageDataCache, for caches whose storage can be damaged or full")
struct DataCacheFaultContractTests {
    @Test("the disk cache passes the rules about damage", arguments: DataCacheContract.damage)
    func diskCache(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
        let folder = try ContractFolder()
        try await rule.check { limit in
            DataCacheContract.Damageable(cache: folder.diskCache(byteLimit: limit)) {
                try folder.damageFiles(containing: $0)
            }
        }
    }

    @Test("each rule about damage fails for a cache that breaks it", arguments: DataCacheContract.damage)
    func damageDouble(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Damageable>) async throws {
        let defect = try #require(DamageDefect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(defect.makeSubject) }
    }

    @Test("each rule about a full device fails for a cache that breaks it", arguments: DataCacheContract.fullStore)
    func fullDouble(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
        let defect = try #require(FullStoreDefect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(defect.makeSubject) }
    }
}

@Suite("The contract of ImageDataCache, for caches whose writes can be interrupted")
struct DataCacheInterruptionContractTests {
    typealias Rule = ContractRule<@Sendable () async throws -> DataCacheContract.Interruptible>

    @Test("a store that keeps what was written passes", arguments: DataCacheContract.interruption)
    func unbrokenDouble(_ rule: Rule) async throws { try await rule.check(InterruptedStore.makeSubject(nil)) }

    @Test("each rule fails for a store that breaks it", arguments: DataCacheContract.interruption)
    func brokenDouble(_ rule: Rule) async throws {
        let defect = try #require(
            InterruptedStore.Defect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) { try await rule.check(InterruptedStore.makeSubject(defect)) }
    }
}

@Suite("The contract of ImageDataCache, for caches whose storage can block")
struct DataCacheThreadContractTests {
    @Test("each rule fails for a cache that blocks threads of the pool", arguments: DataCacheContract.threads)
    func brokenDouble(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        await #expect(throws: ContractViolation.self) {
            try await rule.checkBrokenDouble { limit, onAccess in
                PoolBlockingDataCache(cache: InMemoryDataCache(byteLimit: limit), onAccess: onAccess)
            }
        }
    }
}

@Suite("The contract of StreamingDataCache")
struct DataCacheStreamingContractTests {
    typealias Rule = ContractRule<DataCacheContract.Streaming>

    @Test("the disk cache passes", arguments: DataCacheContract.streaming)
    func diskCache(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { folder.diskCache(byteLimit: $0) }
    }

    @Test("each rule fails for a cache that breaks it", arguments: DataCacheContract.streaming)
    func brokenDouble(_ rule: Rule) async throws {
        let defect = try #require(
            BrokenStreamingDataCache.Defect(rawValue: rule.name), "there is no broken double for this rule")
        await #expect(throws: ContractViolation.self) {
            try await rule.check { BrokenStreamingDataCache(defect, byteLimit: $0) }
        }
    }
}
