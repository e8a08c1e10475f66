public import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// For caches on stores that can be damaged, or be full.
extension DataCacheContract {
    /// A cache, and a way to alter what its store holds behind its back.
    public struct Damageable: Sendable {
        public var cache: any DataCache
        /// Alters bytes of the entry under a key.
        public var damage: @Sendable (DataCacheKey) async throws -> Void

        public init(cache: any DataCache, damage: @escaping @Sendable (DataCacheKey) async throws -> Void) {
            self.cache = cache
            self.damage = damage
        }
    }

    /// A cache, and a way to leave its store without space, and to give it space again.
    public struct Fillable: Sendable {
        public var cache: any DataCache
        /// From now on nothing more fits on the device, or everything does again.
        public var setFull: @Sendable (Bool) async throws -> Void

        public init(cache: any DataCache, setFull: @escaping @Sendable (Bool) async throws -> Void) {
            self.cache = cache
            self.setFull = setFull
        }
    }

    public static var damage: [ContractRule<@Sendable (_ byteLimit: Int) async throws -> Damageable>] {
        [
            ContractRule("a damaged entry is a miss, and its neighbours stay") { makeStore in
                let store = try await makeStore(100_000)
                for number in 1...3 { try await store.cache.store(entry(1_000, number), for: key(number)) }
                try await store.damage(key(2))
                for _ in 1...2 { try await expect(store.cache, has: nil, for: key(2)) }
                for number in [1, 3] { try await expect(store.cache, has: entry(1_000, number), for: key(number)) }
            },
            ContractRule("a damaged entry gives its key and its space to a new one") { makeStore in
                let store = try await makeStore(3 * (10_000 + overhead))
                for number in 1...3 { try await store.cache.store(entry(10_000, number), for: key(number)) }
                try await store.damage(key(2))
                try await expect(store.cache, has: nil, for: key(2))
                try await store.cache.store(entry(10_000, 4), for: key(2))
                try await expect(store.cache, has: entry(10_000, 4), for: key(2))
                for number in [1, 3] { try await expect(store.cache, has: entry(10_000, number), for: key(number)) }
            },
        ]
    }

    public static var fullStore: [ContractRule<@Sendable (_ byteLimit: Int) async throws -> Fillable>] {
        [
            ContractRule("on a full device a store throws noSpace, and what is there is served") { makeStore in
                let store = try await makeStore(10_000_000)
                try await store.cache.store(entry(1_000, 1), for: key(1))
                try await store.setFull(true)
                try await expectNoSpace(entry(300_000, 2), for: key(2), in: store.cache)
                try await expect(store.cache, has: nil, for: key(2))
                try await expect(store.cache, has: entry(1_000, 1), for: key(1))
            },
            ContractRule("a store that fails does not leave the older entry under its key") { makeStore in
                let store = try await makeStore(10_000_000)
                try await store.cache.store(entry(1_000, 1), for: key(1))
                try await store.setFull(true)
                try await expectNoSpace(entry(300_000, 2), for: key(1), in: store.cache)
                try await expect(store.cache, has: nil, for: key(1))
            },
            ContractRule("a cache takes entries again once there is space on the device") { makeStore in
                let store = try await makeStore(10_000_000)
                try await store.setFull(true)
                for number in 1...3 {
                    try await expectNoSpace(entry(300_000, number), for: key(number), in: store.cache)
                }
                try await store.setFull(false)
                for number in 1...3 { try await expectSpace(for: entry(300_000, number), key(number), in: store.cache) }
                for number in 1...3 {
                    try await expect(store.cache, has: entry(300_000, number), for: key(number))
                }
            },
        ]
    }

    private static func expectNoSpace(_ entry: DataCacheEntry, for key: DataCacheKey, in cache: any DataCache)
        async throws
    {
        do {
            try await cache.store(entry, for: key)
        } catch .noSpace {
            return
        } catch {
            throw ContractViolation("a store on a full device throws \(error), not noSpace")
        }
        throw ContractViolation("a store on a full device seems to succeed")
    }

    private static func expectSpace(for entry: DataCacheEntry, _ key: DataCacheKey, in cache: any DataCache)
        async throws
    {
        do {
            try await cache.store(entry, for: key)
        } catch {
            throw ContractViolation("there is space on the device again, and a store throws \(error)")
        }
    }
}
