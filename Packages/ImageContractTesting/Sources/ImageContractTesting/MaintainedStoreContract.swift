public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that can be kept, the cache through which entries come into it, and the time that it goes by.
public struct MaintainedStoreFixture: Sendable {
    public let store: any MaintainedStore
    public let cache: any DataCache
    /// Lets time go on.
    public let advance: @Sendable (Duration) async -> Void

    public init(
        store: any MaintainedStore, cache: any DataCache, advance: @escaping @Sendable (Duration) async -> Void
    ) {
        self.store = store
        self.cache = cache
        self.advance = advance
    }
}

/// What every `MaintainedStore` promises.
public enum MaintainedStoreContract {
    /// Makes an empty store with space for a megabyte.
    public typealias Subject = @Sendable () async throws -> MaintainedStoreFixture

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("nothing is found after all was removed, and what is stored then is") { make in
            let fixture = try await make()
            try await fixture.fill("a", "b")
            try await fixture.store.removeAll()
            try await fixture.expectFound(none: "a", "b")
            try await fixture.fill("a")
            try await fixture.expectFound("a")
        },
        ContractRule("what was neither stored nor read for long is removed, and nothing else") { make in
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
        ContractRule("its bytes are those of its entries at least, and go with them") { make in
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
            let isThere = try await cache.entry(for: DataCacheKey(source: name)) != nil
            try expect(isThere, "\(name) is gone")
        }
    }

    fileprivate func expectFound(none names: String...) async throws {
        for name in names {
            let isThere = try await cache.entry(for: DataCacheKey(source: name)) != nil
            try expect(!isThere, "\(name) is there")
        }
    }
}
