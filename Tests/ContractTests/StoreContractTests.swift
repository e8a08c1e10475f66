import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of MaintainedStore")
struct MaintainedStoreContractTests {
    typealias Rule = ContractRule<MaintainedStoreContract.Subject>

    @Test("the fake passes", arguments: MaintainedStoreContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check { Self.fixture(InMemoryStore()) { $0 } }
    }

    @Test("the disk cache passes", arguments: MaintainedStoreContract.rules)
    func disk(_ rule: Rule) async throws {
        let folder = try ContractFolder()
        let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
        let clock = TestClock(time)
        try await rule.check {
            let cache = DiskDataCache(
                directory: URL(fileURLWithPath: folder.path), byteLimit: 1_000_000, now: { clock.now })
            return MaintainedStoreFixture(store: MaintainedDisk(cache: cache), cache: cache) { clock.advance($0) }
        }
    }

    @Test("each rule fails for a store that breaks it", arguments: BrokenStore.Defect.allCases)
    func brokenDouble(_ defect: BrokenStore.Defect) async throws {
        let rule = try #require(MaintainedStoreContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { Self.fixture(InMemoryStore()) { BrokenStore(base: $0, defect: defect) } }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        #expect(Set(MaintainedStoreContract.rules.map(\.name)) == Set(BrokenStore.Defect.allCases.map(\.rawValue)))
    }

    private static func fixture(
        _ store: InMemoryStore, _ make: (InMemoryStore) -> any MaintainedStore
    ) -> MaintainedStoreFixture {
        MaintainedStoreFixture(store: make(store), cache: store) { store.advance(by: $0) }
    }
}

private final class TestClock: Sendable {
    private let time: Mutex<Date>
    init(_ time: consuming Mutex<Date>) { self.time = time }
    var now: Date { time.withLock { $0 } }
    func advance(_ duration: Duration) {
        time.withLock { $0 += Double(duration.components.seconds) }
    }
}

/// The maintenance of the disk cache.
private struct MaintainedDisk: MaintainedStore {
    let cache: DiskDataCache
    func removeAll() async throws(DataCacheFailure) { try await cache.removeAll() }
    func removeAll(unusedFor age: Duration) async throws(DataCacheFailure) { try await cache.removeAll(olderThan: age) }
    func byteCount() async throws(DataCacheFailure) -> Int { try await cache.status().byteCount }
}

/// A fake that breaks one rule.
struct BrokenStore: MaintainedStore {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case removesNothing = "removeAll() leaves no entry, and entries that are stored later are found"
        case ignoresAge = "only entries that were neither stored nor read for a given time are removed"
        case countsNothing = "the number of bytes is at least that of the entries, and falls when they are removed"

        var testDescription: String { rawValue }
    }

    let base: InMemoryStore
    let defect: Defect

    func removeAll() async throws(DataCacheFailure) {
        if defect != .removesNothing { try await base.removeAll() }
    }

    func removeAll(unusedFor age: Duration) async throws(DataCacheFailure) {
        if defect == .ignoresAge { try await base.removeAll() } else { try await base.removeAll(unusedFor: age) }
    }

    func byteCount() async throws(DataCacheFailure) -> Int {
        if defect == .countsNothing { return 0 }
        return try await base.byteCount()
    }
}
