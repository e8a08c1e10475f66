import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The contract of DataCache")
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

    @Test("a cache in SQLite passes", arguments: DataCacheContract.rules)
    func sqlite(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        try await rule.check { try SQLiteDataCache(path: folder.path + "/cache.db", byteLimit: $0) }
    }

    @Test("each rule fails for a cache that breaks it", arguments: BrokenDataCache.Defect.allCases)
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
