public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store, a cache that adds entries to it, and control over its clock.
public struct MaintainedStoreFixture: Sendable {
    /// The store under test.
    public let store: any MaintainedStore
    /// A cache that stores entries in the store.
    public let cache: any DataCache
    /// Advances the clock of the store.
    public let advance: @Sendable (Duration) async -> Void

    /// Creates a fixture.
    public init(
        store: any MaintainedStore, cache: any DataCache, advance: @escaping @Sendable (Duration) async -> Void
    ) {
        self.store = store
        self.cache = cache
        self.advance = advance
    }
}

/// The contract of `MaintainedStore`.
public enum MaintainedStoreContract {
    /// Makes an empty store with a limit of at least one megabyte.
    public typealias Subject = @Sendable () async throws -> MaintainedStoreFixture

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("removeAll() leaves no entry, and entries that are stored later are found") { make in
            let fixture = try await make()
            try await fixture.fill("a", "b")
            try await fixture.store.removeAll()
            try await fixture.expectFound(none: "a", "b")
            try await fixture.fill("a")
            try await fixture.expectFound("a")
        },
        ContractRule("only entries that were neither stored nor read for a given time are removed") { make in
            let fixture = try await make()
            try await fixture.fill("old", "read")
            await fixture.advance(.seconds(100))
            try await fixture.expectFound("read")
            try await fixture.fill("new")
            await fixture.advance(.seconds(10))
            try await fixture.store.removeAll(unusedFor: .seconds(60))
            try await fixture.expectFound(none: "old")
            try await fixture.expectFound("read", "new")
        },
        ContractRule("the number of bytes is at least that of the entries, and falls when they are removed") { make in
            let fixture = try await make()
            let empty = try await fixture.store.byteCount()
            try await fixture.fill("a", "b")
            let full = try await fixture.store.byteCount()
            try expect(full >= empty + 2 * Self.bytes.count, "\(full) bytes with two entries, \(empty) with none")
            try await fixture.store.removeAll()
            let left = try await fixture.store.byteCount()
            try expect(left < full - Self.bytes.count, "\(left) bytes are left of \(full)")
        },
    ]

    fileprivate static let bytes = Data(count: 10_000)
}

extension MaintainedStoreFixture {
    fileprivate func fill(_ names: String...) async throws {
        for name in names {
            let entry = DataCacheEntry(data: MaintainedStoreContract.bytes, createdAt: Date(timeIntervalSince1970: 0))
            try await cache.store(entry, for: DataCacheKey(source: name))
        }
    }

    fileprivate func expectFound(_ names: String...) async throws {
        for name in names {
            let isFound = try await cache.entry(for: DataCacheKey(source: name)) != nil
            try expect(isFound, "\(name) is absent")
        }
    }

    fileprivate func expectFound(none names: String...) async throws {
        for name in names {
            let isFound = try await cache.entry(for: DataCacheKey(source: name)) != nil
            try expect(!isFound, "\(name) is found")
        }
    }
}
